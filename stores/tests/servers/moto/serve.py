"""Serves moto's S3 on a port of 127.0.0.1, with one bucket.

moto looks whether an object exists and writes it in two steps, without a lock. So that it
creates each name once, as S3 does, it serves one request after the other.
"""

import signal
import sys

from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    def log_request(self, code="-", size="-"):
        pass


# A shell starts it with this signal ignored.
signal.signal(signal.SIGINT, signal.SIG_DFL)
port, bucket = int(sys.argv[1]), sys.argv[2]
s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(bucket, "us-east-1")
application = DomainDispatcherApplication(create_backend_app)
server = make_server("127.0.0.1", port, application, threaded=False, request_handler=Quiet)
server.serve_forever()
