/**
 * The description of a setting in docs/settings.md and .env.example. Names, constant defaults and ranges come from the
 * code.
 */
export interface SettingText {
  readonly about: string
  /** Set if the default is not a constant. */
  readonly defaultText?: string
  /** Set if the schema has no rule for the value. */
  readonly takes?: string
}

export const SETTING_TEXTS: Readonly<Record<string, Readonly<Record<string, SettingText>>>> = {
  'Name and addresses': {
    VASP_NAME: {
      about: 'Name that users see. Cookie names and the path of the data folder contain its lower-case form.',
    },
    VASP_ACCENT: { about: 'Colour of links and buttons, which tells two VASPs apart.' },
    PORT: { about: 'Port to listen on.' },
    HOST: {
      about: 'Address to listen on.',
      defaultText: 'both loopback addresses with `SANDBOX_TOOLS=on`, otherwise every address',
      takes: 'a host name or an address',
    },
    VASP_DOMAIN: {
      about: '`aud` and `iss` of all tokens, and the domain of UMA addresses. A change ends all connections.',
      defaultText: '`localhost:$PORT`',
      takes: 'a lower-case host, with its port unless it is the default port',
    },
    NEXTAUTH_URL: {
      about: 'Origin that browsers use. Its host equals `VASP_DOMAIN`. It is https unless `VASP_DOMAIN` is local.',
      defaultText: 'from `VASP_DOMAIN`',
      takes: 'an origin',
    },
    GATEWAY_ROOT_URL: {
      about: 'Public root URL of the gateway. Sign-ins return only to addresses below it.',
      defaultText: '`http://localhost:8080`',
      takes: 'an http or https URL of another origin; https for a public `VASP_DOMAIN`',
    },
    GATEWAY_RELAY_URL: {
      about:
        'Relay of the gateway. The gateway kit of a sandbox checks it and puts it into the settings of the gateway.',
      defaultText: 'none',
    },
    IDENTITY_RELAYS: {
      about: 'Relays on which apps publish their names. A connection then shows what its app calls itself.',
      defaultText: 'none',
      takes: 'ws or wss addresses, separated by commas; at most 5',
    },
    SAMPLE_APP_URL: { about: "App to try the wallet with. A sandbox's home page links to it.", defaultText: 'none' },
  },
  'Keys and secrets': {
    NEXTAUTH_SECRET: {
      about: 'Secret of session cookies and pending sign-ins. `openssl rand -base64 32` generates one.',
      defaultText: 'required',
      takes: '32 or more characters',
    },
    JWT_PRIVATE_KEY: {
      about: 'Signs all tokens (ES256). Without it, the server answers 500 whenever it has to sign.',
      defaultText: 'none',
      takes: 'a PEM text; `\\n` escapes and CRLF are accepted',
    },
    JWT_PUBLIC_KEY: {
      about:
        'Verifies all tokens (ES256). It is never derived from the private key. Without it, the server answers every call with 500.',
      defaultText: 'none',
      takes: 'a PEM text',
    },
    JWT_PUBLIC_KEY_PREVIOUS: {
      about: 'Second verification key, for use during a key change.',
      defaultText: 'none',
      takes: 'a PEM text',
    },
    LIGHTNING_NODE_KEY: { about: 'Secret of the Lightning node.', defaultText: 'required' },
    UMA_SIGNING_KEY: {
      about: 'Secret that signs UMA messages. Without both UMA keys, no UMA message is sent or accepted.',
      defaultText: 'none',
    },
    UMA_ENCRYPTION_KEY: {
      about: 'Secret that decrypts the payer data that other VASPs send for the travel rule.',
      defaultText: 'none',
    },
  },
  Database: {
    DATABASE_URL: {
      about: 'PostgreSQL server. Several instances can share one.',
      defaultText: 'the embedded database',
      takes: '`postgresql://user:password@host:5432/name`',
    },
    DATA_DIR: {
      about: 'Folder of the settings file and of the embedded database.',
      defaultText: '`.data/<name>`',
      takes: 'a path',
    },
  },
  Sandbox: {
    SANDBOX_TOOLS: {
      about:
        'User picker, printed password, test users and test money. `on` needs a local `VASP_DOMAIN` and a loopback `HOST`; `private` puts a team password in front of them.',
      defaultText: '`on` for a local `VASP_DOMAIN`, else `off`',
    },
    SANDBOX_TEAM_PASSWORD: {
      about: 'Password that the sign-in page of a private sandbox asks for first.',
      defaultText: 'required with `SANDBOX_TOOLS=private`',
      takes: '12 or more characters, different from `SANDBOX_PASSWORD`',
    },
    SANDBOX_PASSWORD: {
      about: 'Password of all test users. The sign-in page shows it.',
      defaultText: '`sandbox`, or a random password with `SANDBOX_TOOLS=private`',
      takes: 'any text; 12 or more characters with `SANDBOX_TOOLS=private`',
    },
    SANDBOX_EXAMPLE_MONTH: {
      about:
        'Whether a new database begins with a month of example movements of the test users. `npm run demo` sets it to `on`.',
    },
    SANDBOX_USERS_PER_MINUTE: {
      about: 'How many users one client address may create in a minute. `RATE_LIMITS=off` lifts this limit.',
    },
    SANDBOX_USERS_MAX: { about: 'How many temporary users may exist at a time.' },
    SANDBOX_USER_HOURS: { about: 'After how many hours without use a temporary user is deleted.' },
  },
  'Payments, quotes and fees': {
    PAYMENT_WAIT_SECONDS: {
      about: 'How long a request waits for the result of a payment before the server answers 504.',
    },
    MAX_OPEN_PAYMENTS_PER_USER: { about: 'How many payments of one user may wait for other nodes.' },
    QUOTE_SECONDS: { about: 'How long a quote, or an invoice for another VASP or for plain LNURL, is valid.' },
    FX_SPREAD_BPS: { about: 'Fee of a quote between two currencies.' },
    ROUTING_FEE_BPS: {
      about:
        'Fee of a quote that pays another VASP. The Lightning route may cost up to this fee, so at 0 only free routes are used.',
    },
    RECEIVE_FEE_BPS: {
      about:
        'Fee of a payment received from another VASP or by plain LNURL. Payers refuse more than 5 %. Payments inside this VASP have no fee.',
    },
    BALANCE_DEFAULT_UNIT: { about: 'Unit of `GET /balance` without a currency code.' },
  },
  'Other VASPs': {
    LIGHTNING_PEERS: {
      about: 'Lightning nodes that this VASP pays and is paid by.',
      defaultText: 'none',
      takes: '`<public key>@<origin>`, separated by commas',
    },
    LIGHTNING_PEER_LIMIT_MSATS: { about: 'What one peer may owe this VASP.' },
    LND_URL: {
      about:
        'An LND as the Lightning node, instead of the simulated one: its REST interface. The node may be on regtest, simnet or signet only.',
      defaultText: 'none',
      takes: 'an https origin; all three of these settings, or none',
    },
    LND_MACAROON_FILE: {
      about:
        'The file with the macaroon that LND requires: `admin.macaroon`, or one that may read and write invoices and offchain, and read info.',
      defaultText: 'none',
      takes: 'a path',
    },
    LND_TLS_CERT_FILE: {
      about: 'The file with the certificate of LND: `tls.cert`.',
      defaultText: 'none',
      takes: 'a path',
    },
    UMA_INVOICES: {
      about: '`off`: users create and pay no UMA invoices, and neither send nor receive requests for money.',
      defaultText: '`on`',
    },
    UMA_LOCAL_PEERS: {
      about: 'VASPs at local addresses, which are called over http. Refused with a public `VASP_DOMAIN`.',
      defaultText: 'none',
      takes: 'hosts with ports, separated by commas',
    },
  },
  'Network and operation': {
    API_ALLOWED_NETWORKS: {
      about: 'Who may call `/umanwc`, including the token exchange. It needs `npm start`.',
      defaultText: 'everyone',
      takes: 'addresses or CIDR ranges, separated by commas',
    },
    TRUSTED_PROXIES: {
      about: 'Proxies whose `X-Forwarded-For` is trusted.',
      defaultText: 'none',
      takes: 'addresses or CIDR ranges, separated by commas',
    },
    RATE_LIMITS: { about: '`off` is for benchmarks.', defaultText: '`on`' },
    MAX_ACTIVE_CONNECTIONS_PER_USER: {
      about: 'How many active connections one user may have. The token exchange refuses further ones with 429.',
    },
    METRICS_PORT: {
      about: 'Port that serves `GET /metrics` in the text format of Prometheus. Without it, nothing is counted.',
      defaultText: 'none',
    },
    METRICS_HOST: {
      takes: 'an address of this machine',
      about: 'Address on which `METRICS_PORT` listens. Choose an address that only your Prometheus can reach.',
    },
    DRAIN_SECONDS: { about: 'How long the server keeps serving after a stop signal, while `/-/serving` answers 503.' },
    LOG_LEVEL: { about: 'Lowest level that is logged. The log is JSON lines on stdout.' },
  },
}
