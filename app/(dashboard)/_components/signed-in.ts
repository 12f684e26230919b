import { redirect } from 'next/navigation'
import { currentPerson, type Person } from '@/lib/auth/session'

/** Who looks at the page; nobody is sent to sign in. */
export async function signedIn(): Promise<Person> {
  const person = await currentPerson()
  if (person === null) redirect('/login')
  return person
}
