"""A TLS server that requires a certificate of its clients, in front of a local server.

    mutual_tls.py CERTIFICATE KEY AUTHORITIES REVOCATIONS PORT

AUTHORITIES is a PEM file, or "-" to require no certificate: only clients with a certificate of one of them get through the handshake, and if the file
REVOCATIONS exists, only those that it does not list. It is read for every connection. What such a client sends goes to
127.0.0.1:PORT. Prints the port it listens on, and ends when standard input is closed.
"""

import os
import socket
import ssl
import sys
import threading


def context(certificate, key, authorities, revocations):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    if authorities == "-":
        return made
    made.load_verify_locations(authorities)
    made.verify_mode = ssl.CERT_REQUIRED
    if os.path.exists(revocations):
        made.load_verify_locations(revocations)
        made.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    return made


def copy(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
    except OSError:
        pass
    finally:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serve(accepted, port, files):
    client = context(*files).wrap_socket(
        accepted, server_side=True, do_handshake_on_connect=False
    )
    with client, socket.socket(fileno=os.dup(client.fileno())) as raw:
        try:
            client.do_handshake()
        except OSError:
            # Closing now would reset the connection, and the client might not get the alert.
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(65536):
                pass
            return
        with socket.create_connection(("127.0.0.1", port)) as server:
            back = threading.Thread(target=copy, args=(server, client), daemon=True)
            back.start()
            copy(client, server)
            back.join()


def main():
    *files, port = sys.argv[1:]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        threading.Thread(target=accept, args=(listener, int(port), files), daemon=True).start()
        sys.stdin.read()


def accept(listener, port, files):
    while True:
        accepted, _ = listener.accept()
        threading.Thread(target=serve, args=(accepted, port, files), daemon=True).start()


main()
