import { redirect } from 'next/navigation'
import { cache } from 'react'
import { currentPerson, type Person } from '@/lib/auth/session'

/** Read once a page, however many of its parts ask. */
const personOfPage = cache(currentPerson)

/** Who looks at the page; nobody is sent to sign in. */
export async function signedIn(): Promise<Person> {
  const person = await personOfPage()
  if (person === null) redirect('/login')
  return person
}
