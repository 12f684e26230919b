import type { Mutation } from './mutation'

/** Whose movements a list and a search show, and what an export does on another machine. */
export const ACTIVITY: readonly Mutation[] = [
  {
    number: 61,
    breaks: 'A user lists the movements of all users.',
    file: 'lib/wallets/activity.ts',
    within: 'OF_USER',
    search: `'user_id = $1'`,
    replace: `"$1 <> ''"`,
    tests: ['lib/wallets/activity.db.test.ts'],
  },
  {
    number: 62,
    breaks: 'A user who knows the id of another user’s connection lists its payments.',
    file: 'lib/wallets/activity.ts',
    within: 'sentBy',
    search: 'where c.id = $2 and c.user_id = $1',
    replace: `where c.id = $2 and $1 <> ''`,
    tests: ['lib/wallets/activity.db.test.ts'],
  },
  {
    number: 63,
    breaks: 'The search of one user finds the requests of another.',
    file: 'lib/events/queries.ts',
    within: 'NEWEST_OF_REQUEST',
    search: `requestOf('user_id between $1 and $1')`,
    replace: `requestOf("$1 <> ''")`,
    tests: ['app/(dashboard)/search/find-place.db.test.ts'],
  },
  {
    number: 64,
    breaks: 'The search confirms a payment of another user to anyone who has its hash.',
    file: 'lib/payments/queries.ts',
    within: 'STATE',
    search: 'where user_id = $1 and payment_hash = $2',
    replace: `where $1 <> '' and payment_hash = $2`,
    tests: ['app/(dashboard)/search/find-place.db.test.ts'],
  },
  {
    number: 65,
    breaks: 'The activity shows every payment as money received, and every receipt as money sent.',
    file: 'prisma/functions/record_movements.sql',
    within: 'record_movements',
    search: 'sum(p.amount)::bigint as amount',
    replace: '(-sum(p.amount))::bigint as amount',
    tests: ['lib/wallets/activity.db.test.ts'],
  },
  {
    number: 66,
    breaks: 'A memo from a stranger is a formula in the spreadsheet that opens an export.',
    file: 'lib/wallets/activity-export.ts',
    within: 'csvCell',
    search: `text.replaceAll(FORMULAS, "'")`,
    replace: 'text',
    tests: ['lib/wallets/activity.test.ts'],
  },
]
