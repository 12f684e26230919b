/** Explains what happened, whose fault it is, and what to do. Only known errors have a text; the URL never supplies one. */
export function SignInError({ error }: { readonly error: string | undefined }) {
  const message = messageOf(error)
  return message === undefined ? null : (
    <p role="alert" className="mt-4 border-l-2 border-red pl-3">
      {message}
    </p>
  )
}

const NOT_YOUR_FAULT = 'Your details were fine; try again in a few seconds.'

function messageOf(error: string | undefined): string | undefined {
  if (error === undefined) return undefined
  const wait = /^TooManyTries-(\d{1,3})$/.exec(error)?.[1]
  if (wait !== undefined) return `Too many wrong passwords for this name. Wait ${wait} seconds, then try again.`
  const pause = /^TooManyUsers-(\d{1,3})$/.exec(error)?.[1]
  if (pause !== undefined)
    return `No user was created: too many were created from your address. Wait ${pause} seconds, then try again.`
  if (error === 'SandboxFull')
    return 'No user was created: this sandbox has as many users as its operator allows. Sign in as one of the test users.'
  if (error === 'CredentialsSignin') return 'Wrong user name or password. Check both and try again.'
  if (error === 'Suspended')
    return 'The operator of this wallet has suspended this user. You cannot sign in until the operator resumes it.'
  if (error === 'SignedOut') return 'You were signed out. Nothing was done. Sign in to return to the page.'
  if (error === 'Busy') return `Too many users are signing in right now. ${NOT_YOUR_FAULT}`
  if (error === 'Unavailable') return `Sign-in is not available right now. ${NOT_YOUR_FAULT}`
  if (error === 'Expired') return 'This page has expired; nothing was sent. Sign in again.'
  return 'Sign-in failed on our side. Try again; if it keeps failing, see the server log.'
}
