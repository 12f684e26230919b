interface Props {
  /** The page after the sign-in. */
  readonly callbackUrl: string
  /** The sign-in page with its parameters, to return to after a refusal. */
  readonly back: string
  readonly hours: number
}

/** One click creates a user with test money and signs in. It works without JavaScript. */
export function OwnUserForm({ callbackUrl, back, hours }: Props) {
  return (
    <form method="post" action="/sandbox/forms/new-user" className="mb-8">
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
      <input type="hidden" name="back" value={back} />
      <button className="button">Create a temporary user</button>
      <p className="label mt-2 max-w-md">
        A new user with test money that no one else uses. It is deleted after {hours} hours without use.
      </p>
    </form>
  )
}

/** The same on the home page. */
export function NewUserButton() {
  return (
    <form method="post" action="/sandbox/forms/new-user">
      <button className="button">Create a temporary user</button>
    </form>
  )
}
