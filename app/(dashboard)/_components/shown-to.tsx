import { signedIn } from './signed-in'

/**
 * Names the person whom a form was shown to. Whoever has signed in as somebody else in another tab of the browser is told so,
 * and nothing is done in the new person's name.
 */
export async function ShownTo() {
  const { username } = await signedIn()
  return <input type="hidden" name="shown_to" value={username} autoComplete="off" />
}
