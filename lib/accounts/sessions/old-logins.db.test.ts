import { expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { forgetOldLogins } from './old-logins'

describeOnBothEngines('old logins', (db) => {
  it('and old sessions are deleted a day after they end; a login stays when a connection was created from it', async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const run = (text: string): Promise<unknown> => db().query({ name: '', text })
    await run(`insert into sessions (id, user_id, expires_at, ended_at) values
      ('alive', 'alice', now() + interval '1 hour', null),
      ('ended today', 'alice', now() + interval '1 hour', now() - interval '23 hours'),
      ('ended', 'alice', now() + interval '1 hour', now() - interval '25 hours'),
      ('expired', 'alice', now() - interval '25 hours', null),
      ('long ago', 'alice', now() - interval '9 days', null)`)
    await run(`insert into login_grants (id, user_id, session_id, expires_at, exchanges) values
      ('open', 'alice', 'alive', now() + interval '5 minutes', 0),
      ('of today', 'alice', 'alive', now() - interval '23 hours', 0),
      ('unused', 'alice', 'long ago', now() - interval '9 days', 0),
      ('connected', 'alice', 'long ago', now() - interval '9 days', 1)`)
    await run(`insert into connections (id, user_id, login_grant_id, name, permissions, revoked_at)
      values ('c', 'alice', 'connected', 'App', '{get_info}', now())`)
    for (let start = 0; start < 2; start++) await forgetOldLogins(db())
    const ids = async (rows: Promise<{ id: string }[]>): Promise<string[]> =>
      (await rows).map(({ id }) => id).toSorted()
    expect(await ids(db().prisma.session.findMany())).toEqual(['alive', 'ended today'])
    expect(await ids(db().prisma.loginGrant.findMany())).toEqual(['connected', 'of today', 'open'])
  })
})
