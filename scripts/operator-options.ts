import type { Command } from './options'

const SERVER = `Run it with the environment of the server, including DATA_DIR, or with SETTINGS_FILE, the name of a file that has it.
The command asks the running server. It opens the database itself only when no server answers.`

export const AUDIT = {
  usage: 'npm run audit [-- OPTIONS]',
  does: 'Checks the books from the first posting to the last.',
  options: {
    acknowledge: {
      takes: 'ID,ID',
      about: 'Record that an operator has reviewed these losses. Payments continue within five seconds.',
    },
    'accept-node': {
      takes: 'KEY',
      about: 'Give the books to the node with this public key. No server may run, and nothing is checked.',
    },
    whole: {
      about: 'If the books balance, payments that an earlier breach stopped continue within five seconds.',
    },
  },
  notes: [
    SERVER,
    `Exit codes: 0 the books balance, 1 they do not or an operator has to review something, 2 the books could not be checked.`,
  ],
  examples: ['npm run audit', 'npm run audit -- --acknowledge=4711', 'npm run audit -- --whole'],
} as const satisfies Command

export const BUILDS = {
  usage: 'npm run builds',
  does: 'Lists the instances that run, with the version, commit, port and machine of each.',
  options: {},
  notes: [
    `Run it with the environment of the server, including DATA_DIR, or with SETTINGS_FILE, the name of a file that has it.
With PostgreSQL, the database names the instances of all machines. With the embedded database, the server is asked.`,
    'Exit codes: 0 one build runs, 1 several builds or no instance, 2 the database could not be reached.',
  ],
  examples: ['npm run builds'],
} as const satisfies Command

export const PAYMENTS = {
  usage: 'npm run payments -- --list | --fail HASH [OPTIONS] | --accept NODE [OPTIONS]',
  does: 'Lists payments that wait for another node, and records what an operator decides about them.',
  options: {
    list: { about: 'List the payments that wait for another node.' },
    fail: {
      takes: 'HASH',
      about: 'Give up a payment whose node is gone for good or has lost it, and return the held amount.',
    },
    accept: { takes: 'NODE', about: 'Accept the totals of this node, after a restore. The server must be running.' },
    sent: { takes: 'MSATS', about: 'With --accept: the difference in what was sent, as npm run audit prints it.' },
    received: { takes: 'MSATS', about: 'With --accept: the difference in what was received.' },
    because: { takes: 'TEXT', about: 'The reason. It is stored.' },
    by: { takes: 'NAME', about: 'Who decides. Default: the user who runs the command.' },
  },
  notes: [
    SERVER,
    'Exit codes: 0 done, 1 refused, 2 no server and no database could be reached. docs/operate.md says when to decide.',
  ],
  examples: ['npm run payments -- --list', 'npm run payments -- --fail=HASH --because="The operator closed the node."'],
} as const satisfies Command

export const USERS = {
  usage: 'npm run users -- add|list|suspend|resume|password|sign-out|remove [NAME] [OPTIONS]',
  does: 'Adds, lists, suspends and removes users, changes passwords, and ends sessions.',
  takesWords: true,
  options: {
    name: { takes: 'TEXT', about: 'With add: the name that pages show. Default: the user name.' },
    wallets: {
      takes: 'CODE,CODE',
      about: 'With add: the currencies, the default wallet first. Default: USD.',
    },
  },
  notes: [
    SERVER,
    'In a sandbox, a wallet can open with test money in its smallest unit: USD:100000 opens with 1,000.00 USD.',
    `add and password read the password from standard input. A suspended user cannot sign in. The user's API calls, and
payments to the user's address, are refused until the user is resumed; existing invoices stay payable. password and
sign-out end all sessions of the user in browsers; connected apps keep access. remove is final: the ledger keeps the
user's entries, and the name is never issued again.`,
    'Exit codes: 0 done, 1 refused, 2 a wrong argument, or no server and no database could be reached.',
  ],
  examples: [
    'npm run users -- list',
    'npm run users -- add carol --name="Carol Jones" --wallets=USD:100000,SAT < password.txt',
    'npm run users -- suspend carol',
  ],
} as const satisfies Command

export const WIRE = {
  usage: 'npm run wire [-- OPTIONS]',
  does: 'Prints the newest events of The Wire of all users, oldest first, those of one payment or request together.',
  options: {
    user: { takes: 'NAME', about: 'Only the events of this user.' },
    limit: { takes: 'N', about: 'The number of events, from 1 to 1000. Default: 50.' },
    json: { about: 'Print each event as one line of JSON.' },
    follow: { about: 'Continue with new events until Ctrl-C.' },
  },
  notes: [
    SERVER,
    `A line has the time (UTC), the direction (in, out, or - for a change of state), the name, the status, the duration,
the user and the error code, each - when there is none, and then the summary. Requests and answers are not printed.`,
    `Events of one payment or request are indented below a line of their own, in the order in which they began, with the
time since the first and who sent each to whom. With --follow, they are printed once no more have come for a second.`,
    `Without a server that answers, --follow needs the database of a server on PostgreSQL: only a running server writes to
the embedded database.`,
    'Exit codes: 0 done, 2 a wrong argument, or no server and no database could be reached.',
  ],
  examples: ['npm run wire -- --follow', 'npm run --silent wire -- --user=alice --limit=200 --json > events.jsonl'],
} as const satisfies Command

export const GATEWAY_CONFIG = {
  usage: 'npm run --silent gateway:config [-- OPTIONS]',
  does: 'Prints the settings of a public gateway (uma-nwc-server) for this VASP, or writes those of a host.',
  options: {
    format: {
      takes: 'FORMAT',
      about: 'python (the default) prints the Python file that the gateway reads; host writes the files of a host.',
    },
    folder: { takes: 'FOLDER', about: 'With host: where to write the files of the gateway and of its relay.' },
    'new-keys': { about: 'Renew the keys of the gateway. Every pairing ends.' },
  },
  notes: [
    'The file contains secret keys. The settings come from settings.env and the environment.',
    `With host, the folder has gateway.py with every setting of the gateway, relay.toml with those of the relay
(nostr-rs-relay), and gateway-keys.env with the keys, which are generated once. GATEWAY_RELAY_URL is the address of the
relay. Only the user who runs the command can read the folder and the files. docs/host.md has the next steps.`,
  ],
  examples: [
    'npm run --silent gateway:config -- --format=python > gateway.py',
    'SETTINGS_FILE=/etc/vasp/vasp.env npm run gateway:config -- --format=host --folder=/etc/vasp-gateway',
  ],
} as const satisfies Command
