import { parseArgs } from 'node:util'

/** As given; undefined where a flag is absent. Files are paths. */
export interface Arguments {
  readonly vasp: string | undefined
  readonly api: string | undefined
  readonly login: string | undefined
  readonly exchange: string | undefined
  readonly gateway: string | undefined
  readonly jwtPublicKey: string | undefined
  readonly config: string | undefined
  readonly signIn: string | undefined
  readonly signInCommand: string | undefined
  readonly secondUser: boolean
  readonly interactive: boolean
  readonly payments: boolean
  readonly invoice: string | undefined
  readonly uma: boolean
  readonly umaListen: string | undefined
  readonly testSigningKey: string | undefined
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly list: boolean
  readonly explain: string | undefined
  readonly junit: string | undefined
  readonly json: string | undefined
  readonly html: string | undefined
  readonly timeoutSeconds: number
}

export const USAGE = `Usage: npm run conformance -- --vasp ORIGIN --sign-in FILE [OPTIONS]

Holds a running VASP to the UMA Auth specification, from outside. It moves no money without --payments.

The VASP
  --vasp ORIGIN            such as http://localhost:4000
  --jwt-public-key FILE    PEM file with the public key of its tokens (ES256)
  --api URL                base address of its API (default: ORIGIN/umanwc/v1)
  --login URL              its login redirect (default: ORIGIN/connect)
  --exchange URL           its token exchange (default: API/token)
  --gateway URL            public root of its gateway (default: from its discovery document)
  --config FILE            reads these values from the Python file of a public gateway

Sign-in, one of
  --sign-in FILE           recipe: the fields of the sign-in forms, for one or two users
  --sign-in-command CMD    a program that signs in and prints the final redirect; with --second-user for two users
  --interactive            you sign in with a browser; the kit listens in place of the gateway

Cases
  --payments               also move about 100 satoshis at a time, from the first user to the second
  --invoice TEXT           the invoice that --payments pays, instead of one of the second user
  --uma                    also UMA and LNURL receiving
  --uma-listen ORIGIN      where the VASP reads the kit's UMA keys, such as http://localhost:4999
  --test-signing-key FILE  private key of the VASP's tokens, of a test system: forges expired and foreign tokens
  --only A,B               only these cases or areas
  --skip A,B               not these cases or areas
  --list                   prints the cases
  --explain CASE           prints a case with its paragraph of the specification

Reports
  --html FILE  --junit FILE  --json FILE
  --timeout SECONDS        for one request (default: 10)

Exit code: 0 when the VASP conforms, 1 when a case other than an option failed, 2 when the run could not start.`

/** @throws Error with one line and the usage. */
export function readArguments(args: readonly string[]): Arguments | 'help' {
  const values = parse([...args])
  if (values.help === true) return 'help'
  const seconds = Number(values.timeout ?? '10')
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 300)
    throw wrong('--timeout is a whole number of seconds from 1 to 300.')
  const ways = [values['sign-in'], values['sign-in-command'], values.interactive].filter(Boolean)
  if (ways.length > 1) throw wrong('--sign-in, --sign-in-command and --interactive exclude each other.')
  return {
    vasp: values.vasp,
    api: values.api,
    login: values.login,
    exchange: values.exchange,
    gateway: values.gateway,
    jwtPublicKey: values['jwt-public-key'],
    config: values.config,
    signIn: values['sign-in'],
    signInCommand: values['sign-in-command'],
    secondUser: values['second-user'] ?? false,
    interactive: values.interactive ?? false,
    payments: values.payments ?? false,
    invoice: values.invoice,
    uma: values.uma ?? values['uma-listen'] !== undefined,
    umaListen: values['uma-listen'],
    testSigningKey: values['test-signing-key'],
    only: listOf(values.only),
    skip: listOf(values.skip),
    list: values.list ?? false,
    explain: values.explain,
    junit: values.junit,
    json: values.json,
    html: values.html,
    timeoutSeconds: seconds,
  }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    vasp: text,
    api: text,
    login: text,
    exchange: text,
    gateway: text,
    'jwt-public-key': text,
    config: text,
    'sign-in': text,
    'sign-in-command': text,
    'second-user': flag,
    interactive: flag,
    payments: flag,
    invoice: text,
    uma: flag,
    'uma-listen': text,
    'test-signing-key': text,
    only: text,
    skip: text,
    list: flag,
    explain: text,
    junit: text,
    json: text,
    html: text,
    timeout: text,
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw wrong((error as Error).message.split('. ', 1)[0] ?? '', error)
  }
}

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((name) => name !== '')
}

function wrong(line: string, cause?: unknown): Error {
  return new Error(`${line}\n\n${USAGE}`, { cause })
}
