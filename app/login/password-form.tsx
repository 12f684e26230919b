interface Props {
  readonly csrf: string
  readonly callbackUrl: string
  readonly username: string
}

/** The form for any user. It asks for the password of the user that it names. */
export function PasswordForm({ csrf, callbackUrl, username }: Props) {
  return (
    <form method="post" action="/api/auth/callback/credentials" className="mt-3 grid max-w-sm gap-4">
      <input type="hidden" name="csrfToken" value={csrf} />
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
      <label className="grid gap-1">
        <span className="label">User name</span>
        <input
          className="field"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          defaultValue={username}
        />
      </label>
      <label className="grid gap-1">
        <span className="label">Password</span>
        <input className="field" name="password" type="password" autoComplete="current-password" required />
      </label>
      <button className="button button-main justify-self-start">Sign in</button>
    </form>
  )
}
