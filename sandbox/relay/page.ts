import { LIMITS } from './hub'

/** NIP-11: the relay's information document. */
export const ABOUT = {
  name: 'Sandbox relay',
  description:
    'A small Nostr relay for a UMA Auth sandbox. It keeps profiles, NWC info events and app identities on disk, all others in memory.',
  supported_nips: [1, 11, 40],
  software: 'sandbox/relay',
  limitation: {
    max_message_length: LIMITS.messageBytes,
    max_subscriptions: LIMITS.subscriptions,
    max_filters: LIMITS.filters,
    max_subid_length: LIMITS.subscriptionIdLength,
    auth_required: false,
    payment_required: false,
  },
}

/** The page that a browser shows at the relay's address. It contains no external data. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox relay</title>
<style>
:root { color-scheme: light dark }
body { max-width:38em; margin:40px auto; padding:0 20px; font:15px/1.55 system-ui, sans-serif; color:light-dark(#15201c, #e8ece7); background:light-dark(#fbfaf6, #0e1513) }
h1 { font:400 40px/1.15 Georgia, serif }
.strip { color:light-dark(#8a5a00, #e0b25c); border-bottom:1px solid; padding-bottom:6px; font-size:13px }
a { color:inherit }
code { font:13px ui-monospace, monospace }
</style>
</head>
<body>
<p class="strip"><strong>SANDBOX</strong>, no real money.</p>
<main>
<h1>This is a Nostr relay</h1>
<p>Apps and the gateway communicate through it over WebSocket. It forwards their messages, which are encrypted, and cannot read them.</p>
<p>It supports <code>EVENT</code>, <code>REQ</code> and <code>CLOSE</code> (NIP-01) and expiration (NIP-40). Profiles, wallet
capabilities and app identities (kinds 0, 13194, 13195) survive a restart; other events are kept in memory until it stops. Wallet
requests and replies are forwarded and never stored.</p>
<p>There is nothing to click here. <a href="/-/alive">/-/alive</a> answers <code>ok</code> while it runs.</p>
</main>
</body>
</html>
`
