interface Props {
  readonly vaspName: string
  /** The path to return to, with the pending login of a gateway. */
  readonly back: string
  /** `wrong`, or `wait-` with seconds. */
  readonly error: string | undefined
}

/** Asks for the password of a shared sandbox before it shows any data of its users. */
export function TeamForm({ vaspName, back, error }: Props) {
  const message = messageOf(error)
  return (
    <form method="post" action="/login/team" className="mt-8 grid max-w-sm gap-4">
      <p>
        This sandbox belongs to a team. Enter the team password to see its users. Ask the person who runs {vaspName} for
        it.
      </p>
      <input type="hidden" name="back" value={back} />
      <label className="grid gap-1">
        <span className="label">Team password</span>
        <input
          className="field"
          name="team_password"
          type="password"
          autoComplete="off"
          required
          aria-invalid={message === undefined ? undefined : true}
          aria-describedby={message === undefined ? undefined : 'team-error'}
        />
        {message === undefined ? null : (
          <span id="team-error" role="alert" className="text-red">
            {message}
          </span>
        )}
      </label>
      <button className="button button-main justify-self-start">Continue</button>
    </form>
  )
}

function messageOf(error: string | undefined): string | undefined {
  if (error === undefined) return undefined
  const seconds = /^wait-(\d{1,3})$/.exec(error)?.[1]
  if (seconds !== undefined) return `Too many attempts. Wait ${seconds} seconds, then try again.`
  return 'This is not the team password. Check it and try again.'
}
