import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import type { Settings } from '../settings'
import { COMMANDS, type Command } from './commands'
import type { CommandRoute } from './route'
import { ROUTES } from './routes'
import { EXAMPLE_DOMAIN, ErrorReply, TokenExchangeBody, TokenExchangeErrorReply, TokenExchangeReply } from './schemas'

const PATH_PARAMETER = /\{(\w+)\}/g

/** The OpenAPI document of the gateway API, made from the very schemas that the routes parse with. */
export function openApiDocument(settings: Pick<Settings, 'vaspName' | 'publicOrigin' | 'apiBasePath'>) {
  const domain = new URL(settings.publicOrigin).host
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: `${settings.vaspName}: UMA Auth gateway API`,
      version: '0.1.0',
      description: 'What a UMA Auth gateway calls at this VASP. A sandbox: no real money.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${settings.publicOrigin}${settings.apiBasePath}` }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'commands', description: 'One call for each wallet command' },
      { name: 'authorization', description: 'The token exchange' },
    ],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'ES256, issued by this VASP' },
      },
    },
    paths: { ...commandPaths(), '/token': { post: tokenExchange() } },
  }
  return createDocument(document, {
    override: ({ jsonSchema }) => {
      const { example } = jsonSchema
      if (typeof example === 'string') jsonSchema.example = example.replace(EXAMPLE_DOMAIN, domain)
    },
  })
}

function commandPaths(): Record<string, Record<string, ZodOpenApiOperationObject>> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const command of COMMANDS) {
    paths[command.path] = { ...paths[command.path], [command.method.toLowerCase()]: operation(command) }
  }
  return paths
}

function operation(command: (typeof COMMANDS)[number]): ZodOpenApiOperationObject {
  const route = ROUTES.get(command.name)
  const withCode = route !== undefined && 'run' in route ? route : undefined
  return {
    operationId: command.name,
    summary: command.plainWords,
    tags: ['commands'],
    requestParams: {
      ...(withCode?.params === undefined ? pathParameters(command) : { path: withCode.params as z.ZodObject }),
      ...(withCode?.query === undefined ? {} : { query: withCode.query as z.ZodObject }),
      ...(withCode?.headers === undefined ? {} : { header: withCode.headers }),
    },
    ...(withCode?.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: withCode.body } } } }),
    responses: { ...responses(withCode), ...beforeRouting(command.method, error) },
  }
}

function pathParameters(command: Command): { path?: z.ZodObject } {
  const names = [...command.path.matchAll(PATH_PARAMETER)].map((match) => match[1] ?? '')
  return names.length === 0 ? {} : { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }
}

function responses(route: CommandRoute | undefined): ZodOpenApiResponsesObject {
  const shared: ZodOpenApiResponsesObject = {
    '401': error('The token is missing, wrong, expired or revoked'),
    '403': error('The connection was not granted this command, or the caller is outside the allowed networks'),
    '429': error('Too many requests; Retry-After says when'),
    '500': error('Our side failed, or the verification key is not configured'),
    '503': error('The database does not answer; Retry-After says when'),
  }
  if (route === undefined) return { ...shared, '501': error('Not implemented by this VASP') }
  const ok = { description: 'The answer', content: { 'application/json': { schema: route.reply } } }
  return {
    '200': ok,
    ...shared,
    '400': error('The request is not valid'),
    ...(route.params === undefined ? {} : { '404': error('The user has nothing of this name') }),
    ...Object.fromEntries(Object.entries(route.refusals ?? {}).map(([status, why]) => [status, error(why)])),
  }
}

/** What the server answers before it looks at the path. Node itself sends 408, 417 and 431, without a body. */
function beforeRouting(
  method: Command['method'],
  refusal: (description: string) => ZodOpenApiResponseObject,
): ZodOpenApiResponsesObject {
  return {
    '408': { description: 'The request did not arrive in time: 10 s for its headers, 30 s for all of it' },
    ...(method === 'GET' ? { '411': refusal('A GET with a body that does not state its length') } : {}),
    '413': refusal('The body is larger than 64 kB'),
    '414': refusal('The address is longer than 8 kB'),
    '417': { description: 'The header Expect asks for something other than 100-continue' },
    '431': { description: 'The headers are larger than 16 kB' },
  }
}

function tokenExchange(): ZodOpenApiOperationObject {
  return {
    operationId: 'exchange_token',
    summary: 'Exchange the login token for the long-lived token of a new connection',
    tags: ['authorization'],
    requestBody: { required: true, content: { 'application/json': { schema: TokenExchangeBody } } },
    responses: {
      '200': { description: 'The long-lived token', content: { 'application/json': { schema: TokenExchangeReply } } },
      '400': failure('Permissions or expiration are missing or not valid'),
      '401': failure('Not a good login token'),
      '403': failure('The caller is outside the allowed networks'),
      '404': failure('The user of the token does not exist'),
      ...beforeRouting('POST', failure),
      '429': failure('This sign-in has made all its connections; Retry-After says when its token has ended'),
      '500': failure('A key is not configured'),
      '503': failure('The database does not answer'),
    },
  }
}

function failure(description: string) {
  return { description, content: { 'application/json': { schema: TokenExchangeErrorReply } } }
}

function error(description: string) {
  return { description, content: { 'application/json': { schema: ErrorReply } } }
}
