/** What happened, whose fault it is, and what to do. Only known errors have a text; the URL never supplies one. */
export function SignInError({ error }: { readonly error: string | undefined }) {
  const message = messageOf(error)
  return message === undefined ? null : (
    <p role="alert" className="mt-4 border-l-2 border-red pl-3">
      {message}
    </p>
  )
}

const NOT_YOUR_FAULT = 'Nothing was wrong with what you typed; try again in a few seconds.'

function messageOf(error: string | undefined): string | undefined {
  if (error === undefined) return undefined
  const wait = /^TooManyTries-(\d{1,3})$/.exec(error)?.[1]
  if (wait !== undefined) return `Too many wrong passwords for this name. Wait ${wait} seconds, then try again.`
  if (error === 'CredentialsSignin') return 'Name and password do not fit together. Check both and try again.'
  if (error === 'SignedOut') return 'You were signed out, so nothing was done. Sign in to return to the page.'
  if (error === 'Busy') return `Many people are signing in at this moment. ${NOT_YOUR_FAULT}`
  if (error === 'Unavailable') return `Signing in is not available right now. ${NOT_YOUR_FAULT}`
  if (error === 'Expired') return 'This page was open for too long, so nothing was sent. Sign in again.'
  return 'Signing in did not work on our side. Try again; if it stays like this, the server log says why.'
}
