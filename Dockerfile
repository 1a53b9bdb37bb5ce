# Builds the command line's packages for a release of Debian or Ubuntu, without a Swift toolchain on the machine, and an image that
# runs it.
#
#   docker build --target packages --output Packages .      the .deb and .tar.gz, in Packages/
#   docker build --tag kinesis-recorder .                   the image
#   docker run --rm --interactive --volume records:/var/lib/kinesis-recorder --env AWS_REGION kinesis-recorder save app < app.log
#
# For another release: --build-arg SWIFT=6.3-noble --build-arg SYSTEM=ubuntu:noble
ARG SWIFT=6.3-bookworm
ARG SYSTEM=debian:bookworm-slim

FROM swift:${SWIFT} AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libsqlite3-dev libcurl4-openssl-dev libssl-dev zlib1g-dev libpcre2-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /package
COPY . .
RUN Scripts/package

FROM scratch AS packages
COPY --from=build /package/Packages/ /

FROM ${SYSTEM}
COPY --from=packages /*.deb /tmp/
RUN apt-get update \
    && apt-get install --yes --no-install-recommends /tmp/*.deb \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/* \
    && useradd --system recorder \
    && install --directory --owner recorder --mode 700 /var/lib/kinesis-recorder
USER recorder
# Records survive the container only on a volume.
VOLUME /var/lib/kinesis-recorder
ENV AWS_KINESIS_RECORDER_DIR=/var/lib/kinesis-recorder
ENTRYPOINT ["kinesis-recorder"]
