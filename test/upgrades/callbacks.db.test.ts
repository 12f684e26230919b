import { expect, test } from 'vitest'
import { describeRestored } from '../databases/databases'
import { readFixtures } from './fixture'

const DELIVERED = 1
const [GIVEN_UP, TRIED_OFTEN, UNQUEUED, DUE] = [2, 4, 5, 7]

/** What release 0.1.0 may leave: callbacks that are given up, tried six times, and not queued yet. */
const MORE = `
set session_replication_role = replica;
update public.uma_callback_outbox set delivered_at = null, given_up_at = now(), attempts = 8 where id = ${GIVEN_UP};
update public.uma_callback_outbox set delivered_at = null, attempts = 6, next_attempt_at = now() + interval '15 hours' where id = ${TRIED_OFTEN};
update public.invoices set settled_at = now() - interval '1 day'
  where payment_hash = (select payment_hash from public.uma_callback_outbox where id = ${UNQUEUED});
create table public.test_before as select id, payment_hash, url, amount_msats from public.uma_callback_outbox;
delete from public.uma_callback_outbox where id = ${UNQUEUED};
set session_replication_role = origin;
`

const [{ sql } = { sql: '' }] = readFixtures().filter(({ version }) => version === '0.1.0')

describeRestored('The callbacks of release 0.1.0', `${sql}${MORE}`, (db) => {
  test('are still due after an upgrade, given up where they were, and gone where they were delivered', async () => {
    const text = `select b.id, c.tries, c.next_try_at is null as given_up, c.next_try_at <= now() + interval '1 hour' as soon,
                         c.url = b.url and c.amount_msats = b.amount_msats and c.user_id = coalesce(p.user_id, i.user_id) as same
                  from uma_callbacks c join test_before b using (payment_hash)
                  left join payments p using (payment_hash) left join invoices i using (payment_hash) order by b.id`
    const rows = await db().query<{ id: bigint }>({ name: 'test_carried', text })
    expect(rows.map(({ id, ...row }) => ({ ...row, id: Number(id) }))).toEqual([
      { id: GIVEN_UP, tries: 5, given_up: true, soon: null, same: true },
      { id: TRIED_OFTEN, tries: 4, given_up: false, soon: true, same: true },
      { id: UNQUEUED, tries: 0, given_up: false, soon: true, same: true },
      { id: DUE, tries: 1, given_up: false, soon: true, same: true },
    ])
    const [all] = await db().query<{ n: number }>({
      name: 'test_all_carried',
      text: `select count(*)::int as n from uma_callbacks where payment_hash = (select payment_hash from test_before where id = ${DELIVERED})`,
    })
    expect(all?.n).toBe(0)
  })
})
