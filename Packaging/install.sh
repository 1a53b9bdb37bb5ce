#!/bin/sh
# Installs kinesis-recorder from the directory of this script, or removes it: install.sh [--remove]. Needs root.
# DESTDIR=/some/root installs below another root. Settings in /etc/default are kept, and so are records that were not sent.
set -eu
cd "$(dirname "$0")"
destination=${DESTDIR:-}
files=$(find usr etc -type f | sort)

# systemd DO: reads the units again, and does that to those that run; nothing below another root.
systemd() {
    if [ -n "$destination" ] || [ ! -d /run/systemd/system ]; then return; fi
    systemctl daemon-reload || true
    systemctl "$1" 'kinesis-recorder-agent.service' 'kinesis-recorder-follow@*.service' \
        'kinesis-recorder-submit@*.service' 'kinesis-recorder-submit@*.timer' || true
}

case ${1:-} in
    "") ;;
    --remove)
        # Each stores what it has read, and keeps what it has not sent.
        systemd stop
        for file in $files; do
            case $file in
                etc/*) continue ;;
            esac
            rm -f "$destination/$file"
        done
        if [ -z "$destination" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
        echo "removed; the settings in $destination/etc/default/kinesis-recorder and all records are kept"
        exit
        ;;
    *)
        echo "install.sh: unknown argument $1. Without one it installs; --remove removes." >&2
        exit 64
        ;;
esac

if [ -z "$destination" ] && [ "$(id -u)" != 0 ]; then
    echo "install.sh: this writes to /usr and /etc: run it as root, or set DESTDIR to a directory of yours" >&2
    exit 77
fi
for file in $files; do
    target=$destination/$file
    case $file in
        etc/*) if [ -e "$target" ]; then continue; fi ;;
    esac
    mkdir -p "$(dirname "$target")"
    # By another name first: a program that runs now cannot be overwritten.
    cp -p "$file" "$target.new"
    mv "$target.new" "$target"
done
# What ran goes on with the new program.
systemd try-restart
echo "installed: $destination/usr/bin/kinesis-recorder"
"$destination/usr/bin/kinesis-recorder" --version || {
    echo "install.sh: it does not start: \`ldd $destination/usr/bin/kinesis-recorder\` names the libraries it lacks" >&2
    exit 69
}
