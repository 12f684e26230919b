import type { ConformanceCase } from '../case.ts'
import { check, checkSuccess, fieldsOf, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import { COMMANDS } from '../verdict.ts'

const DOCUMENT = 'Resources and their fields, Discovery document'

/** Fields of the document. */
async function read(context: CaseContext): Promise<Readonly<Record<string, unknown>>> {
  return fieldsOf(await context.session.discovery(context.client))
}

/** A case that compares one endpoint field with the gateway's address. */
function endpointCase(field: string, path: string, type: 'URL' | 'URL template'): ConformanceCase {
  const name = field.replaceAll('_', '-')
  return {
    id: `discovery.${name}`,
    level: 'must',
    title: `${field} is the gateway's ${path}`,
    paragraph: DOCUMENT,
    quote: `| ${field} | ${type} | \`{gateway_url}${path}\` |`,
    advice: `Set ${field} to the gateway's public root and ${path}.`,
    dependsOn: ['discovery.served'],
    async run(context) {
      const value = (await read(context))[field]
      check(typeof value === 'string', `${field} is ${show(value)} instead of a string.`)
      check(value.endsWith(path), `${field} is ${show(value)}, which does not end with ${path}.`)
      const root = context.target.gatewayRoot?.href.replace(/\/$/, '')
      check(root === undefined || value === `${root}${path}`, `${field} is ${show(value)} instead of ${root}${path}.`)
    },
  }
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'connection_management_endpoint', 'revocation_endpoint']

export const discoveryCases: readonly ConformanceCase[] = [
  {
    id: 'discovery.served',
    level: 'must',
    title: 'serves the discovery document as a JSON object',
    paragraph: DOCUMENT,
    quote: 'JSON object served at `{vasp_domain}/.well-known/uma-configuration`.',
    advice:
      'Serve the document at /.well-known/uma-configuration of the VASP domain, with status 200 and without a redirect.',
    async run({ session, client }) {
      checkSuccess(await session.discovery(client), 'GET /.well-known/uma-configuration')
    },
  },
  {
    id: 'discovery.name',
    level: 'must',
    title: 'name is the name of the VASP',
    paragraph: DOCUMENT,
    quote: '| name | string | VASP name |',
    advice: 'Set name to the name by which users know the VASP.',
    dependsOn: ['discovery.served'],
    async run(context) {
      const { name } = await read(context)
      check(typeof name === 'string' && name.trim() !== '', `name is ${show(name)} instead of a string.`)
    },
  },
  {
    id: 'discovery.uma-major-versions',
    level: 'must',
    title: 'uma_major_versions is a list of integers',
    paragraph: 'Versioning 1',
    quote:
      'The discovery document field `uma_major_versions` lists the supported UMA major versions as an array of integers.',
    advice: 'List the major versions as JSON integers, such as [1,0]. A VASP without UMA lists none: [].',
    dependsOn: ['discovery.served'],
    async run(context) {
      const { uma_major_versions: versions } = await read(context)
      check(
        Array.isArray(versions) && versions.every((each) => Number.isInteger(each)),
        `uma_major_versions is ${show(versions)} instead of a list of integers.`,
      )
    },
  },
  endpointCase('authorization_endpoint', '/oauth/auth', 'URL'),
  endpointCase('token_endpoint', '/oauth/token', 'URL'),
  endpointCase('connection_management_endpoint', '/connection/<connection_id>', 'URL template'),
  endpointCase('revocation_endpoint', '/oauth/revoke', 'URL'),
  {
    id: 'discovery.grant-types',
    level: 'must',
    title: 'grant_types_supported contains authorization_code',
    paragraph: DOCUMENT,
    quote: '| grant_types_supported | array of strings | contains `authorization_code` |',
    advice: 'Set grant_types_supported to ["authorization_code"].',
    dependsOn: ['discovery.served'],
    async run(context) {
      const { grant_types_supported: types } = await read(context)
      check(
        Array.isArray(types) && types.includes('authorization_code'),
        `grant_types_supported is ${show(types)}, without authorization_code.`,
      )
    },
  },
  {
    id: 'discovery.code-challenge-methods',
    level: 'must',
    title: 'code_challenge_methods_supported contains S256',
    paragraph: DOCUMENT,
    quote: '| code_challenge_methods_supported | array of strings | contains `S256` |',
    advice: 'Set code_challenge_methods_supported to ["S256"].',
    dependsOn: ['discovery.served'],
    async run(context) {
      const { code_challenge_methods_supported: methods } = await read(context)
      check(
        Array.isArray(methods) && methods.includes('S256'),
        `code_challenge_methods_supported is ${show(methods)}, without S256.`,
      )
    },
  },
  {
    id: 'discovery.one-gateway',
    level: 'must',
    title: 'all endpoints have one origin, the gateway',
    paragraph: DOCUMENT,
    quote: 'All endpoint fields point at the gateway, not at the VASP server.',
    advice: 'Build the four endpoint fields from one setting: the public root of the gateway.',
    dependsOn: ['discovery.served', ...ENDPOINTS.map((field) => `discovery.${field.replaceAll('_', '-')}`)],
    async run(context) {
      const document = await read(context)
      const origins = new Set(ENDPOINTS.map((field) => new URL(String(document[field])).origin))
      check(origins.size === 1, `The endpoints are at ${[...origins].join(' and ')}.`)
      check(
        !origins.has(context.target.origin) || context.target.gatewayRoot?.origin === context.target.origin,
        `The endpoints are at ${context.target.origin}, which is the VASP.`,
      )
    },
  },
  {
    id: 'discovery.cors',
    level: 'should',
    title: 'pages of any origin can read the discovery document',
    paragraph: 'UMAD-10',
    quote: 'Apps in a browser read the document from their own origin.',
    advice: 'Answer with Access-Control-Allow-Origin: *.',
    dependsOn: ['discovery.served'],
    async run({ session, client }) {
      const allowed = (await session.discovery(client)).headers.get('access-control-allow-origin')
      check(allowed === '*', `Access-Control-Allow-Origin is ${show(allowed ?? undefined)} instead of "*".`)
    },
  },
  {
    id: 'discovery.content-type',
    level: 'should',
    title: 'the discovery document is application/json',
    paragraph: DOCUMENT,
    quote: 'A JSON object is sent with the media type of JSON.',
    advice: 'Answer with Content-Type: application/json.',
    dependsOn: ['discovery.served'],
    async run({ session, client }) {
      const type = (await session.discovery(client)).headers.get('content-type') ?? ''
      check(/^application\/json\b/i.test(type), `Content-Type is ${show(type)}.`)
    },
  },
  {
    id: 'discovery.commands',
    level: 'should',
    title: 'nwc_commands_supported and the methods of /info are the same',
    paragraph: 'UMADE-01',
    quote: 'Client applications learn from nwc_commands_supported which commands they can ask for.',
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
  },
  {
    id: 'discovery.command-names',
    level: 'gateway-compatibility',
    title: 'nwc_commands_supported has only names that the gateway knows',
    paragraph: 'Gateway configuration that points at the service',
    quote: 'The gateway knows the twelve names of VASP_SUPPORTED_COMMANDS and no others.',
    advice: `Use these names: ${COMMANDS.join(', ')}.`,
    dependsOn: ['discovery.served'],
    async run(context) {
      const { nwc_commands_supported: listed } = await read(context)
      const unknown = (Array.isArray(listed) ? listed : []).filter(
        (name) => !(COMMANDS as readonly unknown[]).includes(name),
      )
      check(unknown.length === 0, `nwc_commands_supported names ${show(unknown)}.`)
    },
  },
]
