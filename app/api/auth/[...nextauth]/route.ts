import NextAuth from 'next-auth'
import { authOptions } from '@/lib/auth/next-auth'
import { deps } from '@/lib/deps'
import { plainText } from '@/lib/http/page-answers'
import { LARGEST_BODY_BYTES } from '@/lib/http/read-body'
import { isSameOrigin } from '@/lib/http/same-origin'

interface Context {
  params: Promise<{ nextauth: string[] }>
}

async function handle(request: Request, context: Context): Promise<Response> {
  const run = NextAuth(authOptions()) as (request: Request, context: Context) => Promise<Response>
  return run(request, context)
}

export { handle as GET }

/** Sign-in and sign-out from our own pages only, whatever the library would accept. */
export async function POST(request: Request, context: Context): Promise<Response> {
  if (!isSameOrigin(request.headers.get('origin'), deps().settings.publicOrigin)) {
    return plainText(403, 'This form was sent from another site. Sign in from our own page.')
  }
  if (!(Number(request.headers.get('content-length') ?? Number.NaN) <= LARGEST_BODY_BYTES)) {
    return plainText(413, 'The request body is larger than 64 kB, or its length is not given.')
  }
  return handle(request, context)
}
