import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { seeOther } from '@/lib/platform/http/responses'
import { prepareForNextAudience } from '@/lib/sandbox/show/next-audience'

/** Resets the sandbox for the next audience. The browser stays signed in. */
export const POST = sandboxForm(z.object({}), async ({ app }) => {
  const { reset, pending, pairing } = await prepareForNextAudience(app)
  return seeOther(`/show?reset=${reset}&pending=${pending}&shop=${pairing}#next`)
})
