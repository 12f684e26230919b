import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkSuccess, fieldsOf, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import { DOCUMENT, SPEC } from '../sentences.ts'
import { COMMANDS } from '../verdict.ts'

const discovery = caseGroup(DOCUMENT, ['discovery.served'])

/** An app in a browser, as its requests name it. */
const APP_ORIGIN = 'https://app.example'

/** Fields of the document. */
async function read(context: CaseContext): Promise<Readonly<Record<string, unknown>>> {
  return fieldsOf(await context.session.discovery(context.client))
}

const ENDPOINTS = {
  authorization_endpoint: '/oauth/auth',
  token_endpoint: '/oauth/token',
  connection_management_endpoint: '/connection/<connection_id>',
  revocation_endpoint: '/oauth/revoke',
} as const
type Endpoint = keyof typeof ENDPOINTS
const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as Endpoint[]
const caseOf = (field: Endpoint): string => `discovery.${field.replaceAll('_', '-')}`

const endpointCases = ENDPOINT_NAMES.map((field) => {
  const path = ENDPOINTS[field]
  return discovery.must(caseOf(field), `${field} is the gateway's ${path}`, {
    source: SPEC[field],
    advice: `Set ${field} to the gateway's public root and ${path}.`,
    async run(context) {
      const value = (await read(context))[field]
      check(typeof value === 'string', `${field} is ${show(value)} instead of a string.`)
      check(value.endsWith(path), `${field} is ${show(value)}, which does not end with ${path}.`)
      const root = context.target.gatewayRoot?.href.replace(/\/$/, '')
      check(root === undefined || value === `${root}${path}`, `${field} is ${show(value)} instead of ${root}${path}.`)
    },
  })
})

export const discoveryCases: readonly ConformanceCase[] = [
  discovery.must('discovery.served', 'serves the discovery document as a JSON object', {
    source: SPEC.served,
    advice:
      'Serve the document at /.well-known/uma-configuration of the VASP domain, with status 200 and without a redirect.',
    dependsOn: [],
    run: async ({ session, client }) =>
      checkSuccess(await session.discovery(client), 'GET /.well-known/uma-configuration'),
  }),
  discovery.must('discovery.name', 'name is the name of the VASP', {
    source: SPEC.name,
    advice: 'Set name to the name by which users know the VASP.',
    async run(context) {
      const { name } = await read(context)
      check(typeof name === 'string' && name.trim() !== '', `name is ${show(name)} instead of a string.`)
    },
  }),
  discovery.must('discovery.uma-major-versions', 'uma_major_versions is a list of integers', {
    source: SPEC.majorVersions,
    advice: 'List the major versions as JSON integers, such as [1,0]. A VASP without UMA lists none: [].',
    async run(context) {
      const { uma_major_versions: versions } = await read(context)
      check(
        Array.isArray(versions) && versions.every((each) => Number.isInteger(each)),
        `uma_major_versions is ${show(versions)} instead of a list of integers.`,
      )
    },
  }),
  ...endpointCases,
  discovery.must('discovery.grant-types', 'grant_types_supported contains authorization_code', {
    source: SPEC.grantTypes,
    advice: 'Set grant_types_supported to ["authorization_code"].',
    async run(context) {
      const { grant_types_supported: types } = await read(context)
      check(
        Array.isArray(types) && types.includes('authorization_code'),
        `grant_types_supported is ${show(types)}, without authorization_code.`,
      )
    },
  }),
  discovery.must('discovery.code-challenge-methods', 'code_challenge_methods_supported contains S256', {
    source: SPEC.challengeMethods,
    advice: 'Set code_challenge_methods_supported to ["S256"].',
    async run(context) {
      const { code_challenge_methods_supported: methods } = await read(context)
      check(
        Array.isArray(methods) && methods.includes('S256'),
        `code_challenge_methods_supported is ${show(methods)}, without S256.`,
      )
    },
  }),
  discovery.must('discovery.one-gateway', 'all endpoints have one origin, the gateway', {
    source: SPEC.atGateway,
    advice: 'Build the four endpoint fields from one setting: the public root of the gateway.',
    dependsOn: ['discovery.served', ...ENDPOINT_NAMES.map(caseOf)],
    async run(context) {
      const document = await read(context)
      const origins = new Set(ENDPOINT_NAMES.map((field) => new URL(String(document[field])).origin))
      check(origins.size === 1, `The endpoints are at ${[...origins].join(' and ')}.`)
      check(
        !origins.has(context.target.origin) || context.target.gatewayRoot?.origin === context.target.origin,
        `The endpoints are at ${context.target.origin}, which is the VASP.`,
      )
    },
  }),
  discovery.should('discovery.cors', 'pages of any origin can read the discovery document', {
    source: ['UMAD-10', 'Apps in a browser read the document from their own origin.'],
    advice: 'Answer with Access-Control-Allow-Origin: *, or with the origin of the request.',
    async run({ target, client }) {
      const url = `${target.origin}/.well-known/uma-configuration`
      const headers = { Origin: APP_ORIGIN }
      const allowed = (await client.send({ url, headers })).headers.get('access-control-allow-origin')
      check(
        allowed === '*' || allowed === APP_ORIGIN,
        `Access-Control-Allow-Origin is ${show(allowed ?? undefined)} for the origin ${APP_ORIGIN}.`,
      )
    },
  }),
  discovery.should('discovery.content-type', 'the discovery document is application/json', {
    source: 'A JSON object is sent with the media type of JSON.',
    advice: 'Answer with Content-Type: application/json.',
    async run({ session, client }) {
      const type = (await session.discovery(client)).headers.get('content-type') ?? ''
      check(/^application\/json\b/i.test(type), `Content-Type is ${show(type)}.`)
    },
  }),
  discovery.should('discovery.commands', 'nwc_commands_supported and the methods of /info are the same', {
    source: ['UMADE-01', 'Client applications learn from nwc_commands_supported which commands they can ask for.'],
    advice: 'Build nwc_commands_supported and the methods of GET /info from one list of commands.',
    dependsOn: ['discovery.served', 'info.reply'],
    async run(context) {
      const { nwc_commands_supported: listed } = await read(context)
      check(Array.isArray(listed), `nwc_commands_supported is ${show(listed)} instead of a list.`)
      const { methods } = fieldsOf(await context.session.info(context.client))
      const sorted = (names: unknown): string => (Array.isArray(names) ? names.map(String).toSorted().join(' ') : '')
      check(
        sorted(listed) === sorted(methods),
        `nwc_commands_supported is ${show(listed)}, and the methods of /info are ${show(methods)}.`,
      )
    },
  }),
  discovery.gateway('discovery.command-names', 'nwc_commands_supported has only names that the gateway knows', {
    source: [
      'Gateway configuration that points at the service',
      'The gateway knows the twelve names of VASP_SUPPORTED_COMMANDS and no others.',
    ],
    advice: `Use these names: ${COMMANDS.join(', ')}.`,
    async run(context) {
      const { nwc_commands_supported: listed } = await read(context)
      const unknown = (Array.isArray(listed) ? listed : []).filter(
        (name) => !(COMMANDS as readonly unknown[]).includes(name),
      )
      check(unknown.length === 0, `nwc_commands_supported names ${show(unknown)}.`)
    },
  }),
]
