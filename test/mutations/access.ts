import type { Mutation } from './mutation'

/** The team gate, sign-in and sessions. */
export const ACCESS: readonly Mutation[] = [
  {
    number: 48,
    breaks: 'A made-up cookie opens a team’s sandbox.',
    file: 'lib/accounts/sign-in/team-gate.ts',
    within: 'passesTeamGate',
    search: '(cookie !== undefined && isEqual(cookie, teamCookie(settings)))',
    replace: 'cookie !== undefined',
    tests: ['lib/accounts/sign-in/team-gate.test.ts'],
  },
  {
    number: 49,
    breaks: 'A network guesses the team password without a limit.',
    file: 'lib/accounts/sign-in/team-gate.ts',
    within: 'tryTeamPassword',
    search: 'isRight ? 0 : 1',
    replace: '0',
    tests: ['lib/accounts/sign-in/team-gate.db.test.ts'],
  },
  {
    number: 50,
    breaks: 'A sandboxed frame of another site sends forms in the user’s name.',
    file: 'lib/web/same-origin.ts',
    within: 'isSameOrigin',
    search: 'return origin === publicOrigin',
    replace: `return origin === publicOrigin || origin === 'null'`,
    tests: ['lib/web/same-origin.test.ts'],
  },
  {
    number: 51,
    breaks: 'A guesser tries passwords of a user without waiting.',
    file: 'lib/accounts/sign-in/sign-in-throttle.ts',
    within: 'makeSignInThrottle',
    search: `if (verdict === 'right') await counter.forget(key)`,
    replace: `if (verdict !== 'suspended') await counter.forget(key)`,
    tests: ['lib/accounts/sign-in/sign-in.db.test.ts'],
  },
  {
    number: 52,
    breaks: 'A copied session cookie goes on working after its user has signed out.',
    file: 'lib/accounts/sessions/session-store.ts',
    within: 'USER',
    search: 's.ended_at is null and',
    replace: '',
    tests: ['lib/accounts/sign-in/authorize.db.test.ts', 'lib/accounts/sign-in/sign-in.db.test.ts'],
  },
  {
    number: 53,
    breaks: 'A sign-in link works again and again, for everyone who sees it.',
    file: 'lib/sandbox/users/sign-in-code.ts',
    within: 'USE',
    search: 'set sign_in_code_hash = null',
    replace: 'set sign_in_code_hash = sign_in_code_hash',
    tests: ['lib/sandbox/users/sandbox-users.db.test.ts'],
  },
]
