import type { RateLimits } from './rate-limits'
import { PRIVATE_HEADERS } from './responses'
import { textStream } from './text-stream'

interface ExportFile {
  readonly username: string
  readonly name: string
  readonly type: string
  readonly parts: AsyncGenerator<string, void>
}

/** A file that is read while it is sent. @throws VaspError as `startExport` does. */
export async function exportFile(
  limits: Pick<RateLimits, 'startExport'>,
  request: Request,
  { username, name, type, parts }: ExportFile,
): Promise<Response> {
  const headers = {
    ...PRIVATE_HEADERS,
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}"`,
  }
  // Next would neither read nor cancel the body.
  if (request.method === 'HEAD') return new Response(null, { headers })
  const release = await limits.startExport(username)
  return new Response(textStream(parts, release), { headers })
}
