#!/bin/sh
# Starts the public gateway when its relay answers. The gateway publishes its commands (kind 13194) at its start only, and an
# app that finds none does not know how to encrypt.
set -eu

until python - <<'END'; do sleep 2; done
import os
import sys
import urllib.request

config = {}
exec(open(os.environ["QUART_CONFIG"]).read(), config)
relay = config["RELAY"]
try:
    urllib.request.urlopen(relay.replace("ws", "http", 1), timeout=10)
except Exception as error:
    sys.exit(f"The relay {relay} does not answer yet: {error}")
END
alembic upgrade head
# One process: two of them lose requests. No access log: addresses contain login tokens.
exec uvicorn nwc_backend.server:app --host 127.0.0.1 --port 8090 --no-access-log
