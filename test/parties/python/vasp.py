"""A small VASP on the Python SDK for UMA: `vasp.py PORT NODE_URL raw|certificates`. README.md beside this folder."""

import json
import os
import secrets
import sys
import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import ecies
import requests
import uma
from coincurve.keys import PrivateKey
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from uma.uma import verify_uma_lnurlp_response_signature
from uma.version import get_supported_major_versions_from_error

PORT, NODE_URL, KEYS = int(sys.argv[1]), sys.argv[2], sys.argv[3]
DOMAIN = f"localhost:{PORT}"
ORIGIN = f"http://{DOMAIN}"
TIMEOUT = 20
# Millisatoshis for a cent, and the fee for each payment.
RATE, FEE_MSATS = 10_000, 1_000
USD = uma.Currency("USD", "US Dollar", "$", RATE, 1, 100_000, 2)
SIGNING, ENCRYPTION = secrets.token_bytes(32), secrets.token_bytes(32)

key_cache = uma.InMemoryPublicKeyCache()
nonces = uma.InMemoryNonceCache(datetime.now(timezone.utc) - timedelta(minutes=10))
seen = []


def certificate(secret):
    key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256K1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, DOMAIN)])
    now = datetime.now(timezone.utc)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    dated = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    return dated.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def public_keys():
    if KEYS == "certificates":
        return uma.create_pubkey_response(certificate(SIGNING), certificate(ENCRYPTION))
    raw = [PrivateKey(secret).public_key.format(compressed=False) for secret in (SIGNING, ENCRYPTION)]
    return uma.PubkeyResponse(None, None, *raw, None)


KEY_DOCUMENT = public_keys()


def keys_of(domain):
    return uma.fetch_public_key_for_vasp(domain, key_cache)


class InvoiceCreator(uma.IUmaInvoiceCreator):
    def create_uma_invoice(self, amount_msats, metadata, receiver_identifier):
        return ask_node("invoice", {"amount_msats": amount_msats, "metadata": metadata})["invoice"]


def ask_node(action, message):
    return answer_of(requests.post(f"{NODE_URL}/{action}", json=message, timeout=TIMEOUT)).json()


def answer_of(response):
    if response.status_code != 200:
        raise RuntimeError(f"{response.status_code} {response.text}")
    return response


def look_up(path):
    """The users `$old` are paid with version 0 only."""
    request = uma.parse_lnurlp_request(ORIGIN + path)
    uma.verify_uma_lnurlp_query_signature(request, keys_of(request.vasp_domain), nonces)
    is_old = request.receiver_address.startswith("$old@")
    if is_old and uma.ParsedVersion.load(request.uma_version).major != 0:
        raise uma.UnsupportedVersionException(request.uma_version, [0])
    seen.append({"what": "lookup", "version": request.uma_version})
    name = request.receiver_address.split("@")[0]
    # The SDK changes the currency for version 0.
    return uma.create_uma_lnurlp_response(
        request, SIGNING, True, f"{ORIGIN}/pay/{name}", metadata(name), 1, 1_000_000,
        uma.create_counterparty_data_options({"identifier": True, "compliance": True, "name": False}),
        [replace(USD)], uma.KycStatus.VERIFIED, comment_chars_allowed=100,
    )  # fmt: skip


def metadata(name):
    return json.dumps([["text/plain", f"Pay {name}"], ["text/identifier", f"{name}@{DOMAIN}"]])


def pay(name, body):
    request = uma.parse_pay_request(body)
    payer = request.payer_data["identifier"]
    uma.verify_pay_request_signature(request, keys_of(uma.get_vasp_domain_from_uma_address(payer)), nonces)
    compliance = uma.compliance_from_payer_data(request.payer_data)
    sealed = compliance.encrypted_travel_rule_info
    opened = ecies.decrypt(ENCRYPTION.hex(), bytes.fromhex(sealed)).decode() if sealed else None
    seen.append({"what": "pay request", "version": request.uma_major_version, "payer": payer, "travel_rule": opened,
                 "comment": request.comment, "locks_receiving": request.sending_amount_currency_code is not None})  # fmt: skip
    return uma.create_pay_req_response(
        request, InvoiceCreator(), metadata(name), USD.code, USD.decimals, RATE, FEE_MSATS, None,
        f"{ORIGIN}/told", f"{name}@{DOMAIN}", SIGNING, success_action={"tag": "message", "message": "Thank you from Ann"},
    )  # fmt: skip


def told(body):
    callback = uma.parse_post_transaction_callback(body)
    uma.verify_post_transaction_callback_signature(callback, keys_of(callback.vasp_domain), nonces)
    seen.append({"what": "callback", "from": callback.vasp_domain, "utxos": json.loads(body)["utxos"]})
    return {"status": "OK"}


def requested(body):
    seen.append({"what": "request", "invoice": json.loads(body)["invoice"]})
    return {"status": "OK"}


def new_uma_invoice(wanted):
    invoice = uma.create_uma_invoice(
        f"$ann@{DOMAIN}", wanted["amount"], uma.InvoiceCurrency(USD.code, USD.name, USD.symbol, USD.decimals),
        datetime.now(timezone.utc) + timedelta(minutes=10), f"{ORIGIN}/pay/$ann", True, SIGNING,
        uma.create_counterparty_data_options({"identifier": True, "compliance": True}),
    )  # fmt: skip
    return {"invoice": invoice.to_bech32_string()}


def send(wanted):
    """Looks up `to`, in the version that both support, or in `version`; then pays it from `$ann`. `as`: a false domain."""
    keys = keys_of(uma.get_vasp_domain_from_uma_address(wanted["to"]))

    def ask(version):
        url = uma.create_uma_lnurlp_request_url(SIGNING, wanted["to"], wanted.get("as", DOMAIN), True, version)
        return requests.get(url, timeout=TIMEOUT)

    answer = ask(wanted.get("version"))
    if answer.status_code == 412:
        answer = ask(uma.version.select_highest_supported_version(get_supported_major_versions_from_error(answer.text)))
    found = uma.parse_lnurlp_response(answer_of(answer).text)
    verify_uma_lnurlp_response_signature(found, keys, nonces)
    major = uma.ParsedVersion.load(found.uma_version).major
    result = request_and_pay(found.callback, keys, {**wanted, "major": major})
    return {"version": found.uma_version, **result}


def pay_uma_invoice(wanted):
    invoice = uma.Invoice.from_bech32_string(wanted["invoice"])
    keys = keys_of(uma.get_vasp_domain_from_uma_address(invoice.receiver_uma))
    uma.verify_uma_invoice_signature(invoice, keys)
    paid = {"to": invoice.receiver_uma, "amount": invoice.amount, "major": 1, "uuid": invoice.invoice_uuid}
    return {"receiver": invoice.receiver_uma, **request_and_pay(invoice.callback, keys, paid)}


def request_and_pay(url, keys, wanted):
    payer = f"$ann@{DOMAIN}"
    travel_rule = json.dumps({"name": "Ann", "to": wanted["to"]})
    compliance = uma.create_compliance_payer_data(
        keys.get_encryption_pubkey(), SIGNING, payer, travel_rule, uma.KycStatus.VERIFIED, [], None, f"{ORIGIN}/told"
    )
    request = uma.create_pay_request(
        USD.code, wanted["amount"], wanted.get("lock") != "sending", payer, wanted["major"], "Ann", None,
        compliance, uma.create_counterparty_data_options({"identifier": True, "compliance": True}),
        invoice_uuid=wanted.get("uuid"),
    )  # fmt: skip
    answer = answer_of(requests.post(url, json=request.to_dict(), timeout=TIMEOUT))
    offer = uma.parse_pay_req_response(answer.text)
    if wanted["major"] == 1:
        uma.verify_pay_req_response_signature(payer, wanted["to"], offer, keys, nonces)
    paid = ask_node("pay", {"invoice": offer.encoded_invoice})
    utxos = [uma.UtxoWithAmount("ab:0", paid["amount_msats"])]
    callback = uma.create_post_transaction_callback(utxos, DOMAIN, SIGNING)
    answer_of(requests.post(offer.get_compliance().utxo_callback, json=callback.to_dict(), timeout=TIMEOUT))
    info = offer.payment_info
    return {**paid, "receives": info.amount, "fee_msats": info.exchange_fees, "answer_version": offer.uma_major_version}


CONFIGURATION = {"name": "Python", "uma_major_versions": [0, 1], "uma_request_endpoint": f"{ORIGIN}/request"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(None)

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def answer(self, body):
        try:
            result, status = self.route(self.path.split("?")[0], body), 200
        except uma.UmaException as error:
            result, status = json.loads(error.to_json()), error.to_http_status_code()
        except Exception as error:  # what the test must be told
            result, status = {"status": "ERROR", "reason": repr(error)}, 500
        text = json.dumps(result) if isinstance(result, (dict, list)) else result.to_json()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(text.encode())

    def route(self, path, body):
        if path == "/.well-known/lnurlpubkey":
            return KEY_DOCUMENT
        if path == "/.well-known/uma-configuration":
            return CONFIGURATION
        if path.startswith("/.well-known/lnurlp/"):
            return look_up(self.path)
        if path.startswith("/pay/"):
            return pay(path.removeprefix("/pay/"), body)
        if path == "/test/seen":
            return seen
        if path in ("/told", "/request"):
            return (told if path == "/told" else requested)(body)
        return {"/test/send": send, "/test/pay": pay_uma_invoice, "/test/invoice": new_uma_invoice}[path](json.loads(body))

    def log_message(self, *_):
        pass


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
