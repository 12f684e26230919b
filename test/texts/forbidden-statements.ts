/** A transaction that would break the books, and the SQLSTATE with which the database refuses it. */
export interface Forbidden {
  readonly what: string
  readonly statements: readonly string[]
  /** Several where PostgreSQL 18 (the embedded database) has a more specific code than PostgreSQL 15. */
  readonly states: readonly string[]
}

const account = (username: string, code: string, kind = 'available'): string =>
  `(select a.id from ledger_accounts a join wallets w on w.id = a.wallet_id
    where w.user_id = '${username}' and w.currency_code = '${code}' and a.kind = '${kind}')`
const house = (kind: string, code: string): string =>
  `(select id from ledger_accounts where kind = '${kind}' and currency_code = '${code}' and wallet_id is null)`
const wallet = (username: string, code: string): string =>
  `(select id from wallets where user_id = '${username}' and currency_code = '${code}')`

const ALICE = account('alice', 'USD')
const FAUCET = house('faucet', 'USD')
const OLD_ENTRY = `(select id from journal_entries where idempotency_key = 'opening:alice:USD')`
const NEW_ENTRY = `(select id from journal_entries where idempotency_key = 'by hand')`
const PAYMENT = `(select id from payments where state = 'succeeded' limit 1)`
const MAX_INT8 = '9223372036854775807'

const begin = `insert into journal_entries (kind, idempotency_key, content_hash) values ('exchange', 'by hand', '')`
const post = (to: string, amount: string, { code = 'USD', entry = NEW_ENTRY } = {}): string =>
  `insert into postings (entry_id, account_id, currency_code, amount) values (${entry}, ${to}, '${code}', ${amount})`
const rows = (table: string, where: string): string => `${table} where ${where}`

function refused(states: string, table: Readonly<Record<string, string | readonly string[]>>): Forbidden[] {
  return Object.entries(table).map(([what, statements]) => ({
    what,
    statements: typeof statements === 'string' ? [statements] : statements,
    states: states.split(' '),
  }))
}

const newAccount = (kind: string, code: string, walletId: string, balance: string): string =>
  `insert into ledger_accounts (kind, currency_code, wallet_id, balance) values ('${kind}', '${code}', ${walletId}, ${balance})`

const ACCOUNTS = [
  ...refused('LG003', {
    'an account that is opened with money in it': newAccount('available', 'USD', wallet('alice', 'USD'), '100'),
    'a balance set by hand': `update ledger_accounts set balance = balance + 1 where id = ${ALICE}`,
    'a balance set to its current value': `update ledger_accounts set balance = balance where id = ${ALICE}`,
    'a balance set inside a DO block': `do $$ begin update ledger_accounts set balance = 1 where id = ${ALICE}; end $$`,
    'a balance set by an insert that turns into an update': `${newAccount('held', 'USD', wallet('alice', 'USD'), '0')}
      on conflict (wallet_id, kind) do update set balance = 7`,
    'a balance set by a merge': `merge into ledger_accounts a using (select ${ALICE} as id) chosen on a.id = chosen.id
      when matched then update set balance = 7`,
    'a running balance given to a house account': `update ledger_accounts set balance = 0 where id = ${FAUCET}`,
    'an account given to another wallet': `update ledger_accounts set wallet_id = ${wallet('bob', 'SAT')} where id = ${ALICE}`,
    'an account changed to another currency': `update ledger_accounts set currency_code = 'KWD' where id = ${ALICE}`,
    'held money turned into available money by renaming its account': `update ledger_accounts set kind = 'held' where id = ${ALICE}`,
  }),
  ...refused('23505', {
    'a second account of a kind for one wallet': newAccount('available', 'USD', wallet('alice', 'USD'), '0'),
    'a second house account of a kind and currency': newAccount('fx', 'USD', 'null', 'null'),
  }),
  ...refused('23514', {
    'a user’s account without a wallet': newAccount('held', 'CHF', 'null', 'null'),
    'a house account with a wallet': newAccount('fees', 'USD', wallet('alice', 'USD'), '0'),
    'a user’s account without a balance': newAccount('held', 'USD', wallet('alice', 'USD'), 'null'),
    'an account of an unknown kind': newAccount('gift', 'USD', 'null', 'null'),
  }),
  ...refused('428C9', {
    'an account with an explicit id': `insert into ledger_accounts (id, kind, currency_code) values (1, 'fx', 'CHF')`,
  }),
  ...refused('LG005', {
    'an account deleted': `delete from ${rows('ledger_accounts', `id = ${ALICE}`)}`,
    'all accounts truncated, with all rows that refer to them': `truncate ledger_accounts cascade`,
    'all wallets truncated, with all rows that refer to them': `truncate wallets cascade`,
  }),
  ...refused('0A000', { 'all accounts truncated': `truncate ledger_accounts` }),
]

const OTHER_PREIMAGE = `repeat('c', 64)`
const OTHER_HASH = `encode(sha256(decode(repeat('c', 64), 'hex')), 'hex')`
const newPayment = (values: Readonly<Record<string, string>>): string => {
  const all = {
    payment_hash: `repeat('a', 64)`,
    user_id: `'alice'`,
    wallet_id: wallet('alice', 'USD'),
    amount_msats: '1000',
    debit: '1',
    rate_snapshot_id: '(select id from rate_snapshots limit 1)',
    state: `'failed'`,
    ...values,
  }
  return `insert into payments (${Object.keys(all).join(', ')}) values (${Object.values(all).join(', ')})`
}

/** The parts of a payment in progress: its row, and what the ledger holds for it. */
const NEW_PAYMENT = `(select id from payments where payment_hash = repeat('a', 64))`
const UNDER_WAY_ID = `(select id from payments where payment_hash = ${OTHER_HASH})`
const held = (username: string, amount: string, kind = 'hold', payment = UNDER_WAY_ID): string =>
  `select post_entry('${kind}', '${kind} by hand', array[${account(username, 'SAT')}, ${account(username, 'SAT', 'held')}],
                     array[-${amount}, ${amount}], ${payment})`

const WALLETS = [
  ...refused('23503 23001', {
    'a wallet with accounts deleted': `delete from ${rows('wallets', `id = ${wallet('penny', 'USD')}`)}`,
    'a user with wallets deleted': `delete from users where id = 'penny'`,
    'a user with wallets renamed': `update users set id = 'lenny' where id = 'penny'`,
  }),
  ...refused('LG003', {
    'a wallet given to another user': `update wallets set user_id = 'penny', position = 9 where id = ${wallet('alice', 'EUR')}`,
    'a wallet changed to another currency': `update wallets set currency_code = 'KWD' where id = ${wallet('alice', 'USD')}`,
  }),
]

const ENTRIES = [
  ...refused('LG001', {
    'an entry without postings': begin,
    'an entry that does not sum to zero': [begin, post(FAUCET, '5')],
    'an entry that sums to zero only across currencies': [
      begin,
      post(FAUCET, '-5'),
      post(house('fx', 'EUR'), '5', { code: 'EUR' }),
    ],
    'an entry one unit off': [begin, post(FAUCET, '-5'), post(house('fx', 'USD'), '6')],
    'an unbalanced entry when the constraints are checked immediately': [
      'set constraints all immediate',
      begin,
      post(FAUCET, '5'),
    ],
    'an entry completed, checked, and then added to': [
      begin,
      post(FAUCET, '-5'),
      post(house('fx', 'USD'), '5'),
      'set constraints all immediate',
      'set constraints all deferred',
      post(house('fx', 'USD'), '5'),
    ],
    'an entry completed, checked, and then added to under a smaller id': [
      begin,
      post(FAUCET, '-5'),
      post(house('fx', 'USD'), '5'),
      'set constraints all immediate',
      'set constraints all deferred',
      `insert into postings (id, entry_id, account_id, currency_code, amount) overriding system value
       values (-1, ${NEW_ENTRY}, ${ALICE}, 'USD', 1000)`,
    ],
  }),
  ...refused('23505', {
    'an entry with a key that is already used': `insert into journal_entries (kind, idempotency_key, content_hash) values ('opening', 'opening:alice:USD', '')`,
    'a second entry of a kind for one payment': `insert into journal_entries (kind, idempotency_key, content_hash, payment_id)
      values ('payment', 'by hand', '', ${PAYMENT})`,
  }),
  ...refused('23503', {
    'an entry for a payment that does not exist': `insert into journal_entries (kind, idempotency_key, content_hash, payment_id)
      values ('payment', 'by hand', '', -1)`,
  }),
  ...refused('23514', {
    'an entry of an unknown kind': `insert into journal_entries (kind, idempotency_key, content_hash) values ('gift', 'by hand', '')`,
    'a hold for no payment': held('bob', '7', 'hold', 'null'),
    'a payment’s entry without the payment': `select post_entry('payment', 'payment:again', array[${house('faucet', 'SAT')},
      ${account('bob', 'SAT')}], array[-5000, 5000])`,
    'a conversion that names a payment': `select post_entry('exchange', 'by hand', array[${ALICE}, ${FAUCET}],
      array[-5, 5], ${PAYMENT})`,
    'an entry with an empty key': `insert into journal_entries (kind, idempotency_key, content_hash) values ('opening', '', '')`,
  }),
  ...refused('LG005', {
    'an entry changed': `update journal_entries set kind = 'faucet' where id = ${OLD_ENTRY}`,
    'an entry’s time changed': `update journal_entries set created_at = now() where id = ${OLD_ENTRY}`,
    'an entry deleted': `delete from ${rows('journal_entries', `id = ${OLD_ENTRY}`)}`,
    'the journal truncated, with its postings': `truncate journal_entries cascade`,
  }),
  ...refused('0A000', { 'the journal truncated': `truncate journal_entries` }),
]

const POSTINGS = [
  ...refused('LG004', {
    'a posting added to an old entry': post(ALICE, '100', { entry: OLD_ENTRY }),
    'a pair of postings added to an old entry': `insert into postings (entry_id, account_id, currency_code, amount)
      values (${OLD_ENTRY}, ${ALICE}, 'USD', 5), (${OLD_ENTRY}, ${FAUCET}, 'USD', -5)`,
    'a posting without an entry': post(ALICE, '100', { entry: '-1' }),
  }),
  ...refused('23514', {
    'a posting of zero': [begin, post(FAUCET, '0')],
    'an overdraft': [begin, post(ALICE, `-${MAX_INT8}`), post(FAUCET, MAX_INT8)],
    'an overdraft that a later posting would make good': [begin, post(ALICE, '-1000000000'), post(ALICE, '1000000000')],
    'held money below zero': [begin, post(account('alice', 'USD', 'held'), '-1'), post(ALICE, '1')],
  }),
  ...refused('LG007', {
    'held money that no payment holds': [begin, post(ALICE, '-5'), post(account('alice', 'USD', 'held'), '5')],
    'held money in a wallet other than the payment’s': [
      newPayment({ state: `'held'` }),
      held('bob', '7', 'hold', NEW_PAYMENT),
    ],
  }),
  ...refused('23503', {
    'a posting in a currency other than its account’s': [begin, post(ALICE, '5', { code: 'EUR' })],
    'a posting to no account': [begin, post('-1', '5')],
  }),
  ...refused('22003', {
    'a balance beyond 64 bits': [begin, post(ALICE, MAX_INT8), post(FAUCET, `-${MAX_INT8}`)],
  }),
  ...refused('LG005', {
    'a posting’s amount changed': `update postings set amount = amount * 2 where account_id = ${ALICE}`,
    'a posting’s running balance changed': `update postings set balance_after = 0 where account_id = ${ALICE}`,
    'a posting moved to another account': `update postings set account_id = ${account('bob', 'SAT')} where account_id = ${ALICE}`,
    'a posting deleted': `delete from ${rows('postings', `account_id = ${ALICE}`)}`,
    'all postings truncated': `truncate postings`,
  }),
]

const newInvoice = (hash: string, preimage: string, credits = wallet('bob', 'SAT')): string =>
  `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, expires_at)
   values (${hash}, ${preimage}, 'ln', 'bob', ${credits}, now())`
const OPEN = `where settled_at is null and amount_msats = 220000`
const HASH = `(select payment_hash from invoices where settled_at is not null limit 1)`
const PREIMAGE = `(select preimage from invoices where settled_at is not null limit 1)`

const INVOICES = [
  ...refused('PY001', {
    'a settled invoice reopened': `update invoices set settled_at = null, received_msats = null where settled_at is not null`,
    'a settled invoice credited again with more': `update invoices set received_msats = received_msats * 2 where settled_at is not null`,
    'a settled invoice given to another user': `update invoices set user_id = 'alice' where settled_at is not null`,
    'the hash of a settled invoice changed': `update invoices set payment_hash = repeat('a', 64) where settled_at is not null`,
  }),
  ...refused('LG005', {
    'an invoice deleted': `delete from ${rows('invoices', 'settled_at is not null')}`,
    'all invoices truncated, with all rows that refer to them': `truncate invoices cascade`,
  }),
  ...refused('23505', { 'a second invoice with the same hash': newInvoice(HASH, PREIMAGE) }),
  ...refused('23514', {
    'an invoice whose preimage does not match its hash': newInvoice(`repeat('a', 64)`, `repeat('b', 64)`),
    'an invoice settled with less than its amount': `update invoices set settled_at = now(), received_msats = amount_msats - 1 where settled_at is null`,
    'an invoice settled with no amount': `update invoices set settled_at = now() where settled_at is null`,
    'money received for an invoice that is not settled': `update invoices set received_msats = amount_msats where settled_at is null`,
  }),
  ...refused('PY004', {
    'an invoice settled without a payment': `update invoices set settled_at = now(), received_msats = amount_msats where settled_at is null`,
  }),
  ...refused('23503', {
    'an invoice that credits another user’s wallet': newInvoice(OTHER_HASH, OTHER_PREIMAGE, wallet('alice', 'EUR')),
  }),
  ...refused('PY006', {
    'an open invoice given to another user': `update invoices set user_id = 'alice', wallet_id = ${wallet('alice', 'EUR')} ${OPEN}`,
    'an open invoice made to credit another wallet': `update invoices set wallet_id = ${wallet('alice', 'EUR')} ${OPEN}`,
    'the amount of an open invoice changed': `update invoices set amount_msats = 1 ${OPEN}`,
    'the amount of an open invoice left to the payer': `update invoices set amount_msats = null ${OPEN}`,
    'the hash of an open invoice changed': `update invoices set payment_hash = ${OTHER_HASH}, preimage = ${OTHER_PREIMAGE} ${OPEN}`,
    'the text of an open invoice changed': `update invoices set invoice = 'ln' ${OPEN}`,
    'the description of an open invoice changed': `update invoices set description = 'something else' ${OPEN}`,
  }),
]

const fromAlice = (over: Readonly<Record<string, string>> = {}): string => {
  const values = {
    payment_hash: 'payment_hash',
    invoice: 'invoice',
    user_id: `'alice'`,
    wallet_id: wallet('alice', 'USD'),
    amount_msats: 'amount_msats',
    debit: '22',
    rate_snapshot_id: '(select id from rate_snapshots limit 1)',
    state: `'succeeded'`,
    preimage: 'preimage',
    settled_at: 'now()',
    ...over,
  }
  return `insert into payments (${Object.keys(values).join(', ')}) select ${Object.values(values).join(', ')} from invoices ${OPEN}`
}
const OF_OPEN = `(select p.id from payments p join invoices i on i.payment_hash = p.payment_hash order by p.id desc limit 1)`
/** Alice pays 22 cents. The other lines credit satoshis from the operator. */
const paid = (...lines: readonly (readonly [string, string])[]): string =>
  `select post_entry('payment', 'by hand', array[${[ALICE, house('fx', 'USD'), ...lines.map(([to]) => to)].join(', ')}],
                     array[-22, 22, ${lines.map(([, amount]) => amount).join(', ')}]::bigint[], ${OF_OPEN})`
const BOB = account('bob', 'SAT')
const FX = house('fx', 'SAT')
const settled = (credited: string): string =>
  `update invoices set settled_at = now(), received_msats = amount_msats, credited = ${credited} ${OPEN}`

/** Payments of bob's open invoice of 220,000 millisatoshis, each with one fault. */
const PAYEES = [
  ...refused('PY005', {
    'a payment of our own invoice that leaves it open': [fromAlice(), paid([BOB, '220000'], [FX, '-220000'])],
    'an invoice paid, and its money given to the operator': [
      fromAlice(),
      paid([FX, '5'], [house('fees', 'SAT'), '-5']),
      settled('220000'),
    ],
    'an invoice paid, and its money given to another user': [
      fromAlice(),
      paid([account('alice', 'SAT'), '220000'], [FX, '-220000']),
      settled('220000'),
    ],
    'an invoice that records more than it received': [
      fromAlice(),
      paid([BOB, '220000'], [FX, '-220000']),
      settled('220001'),
    ],
    'an invoice that does not record what it received': [
      fromAlice(),
      paid([BOB, '220000'], [FX, '-220000']),
      settled('null'),
    ],
    'an invoice credited in two parts': [
      fromAlice(),
      paid([BOB, '110000'], [BOB, '110000'], [FX, '-220000']),
      settled('220000'),
    ],
    'an invoice from which money was taken': [fromAlice(), paid([BOB, '-1'], [FX, '1']), settled('1')],
    'an invoice credited twice': `select post_entry('settle', 'once more', array[${FX}, ${BOB}], array[-5000, 5000], ${PAYMENT})`,
    'a payment that failed and still paid its invoice': [
      fromAlice({ state: `'failed'`, preimage: 'null', settled_at: 'null' }),
      `select post_entry('payment', 'by hand', array[${FX}, ${BOB}], array[-5000, 5000], ${OF_OPEN})`,
    ],
  }),
  ...refused('PY003', {
    'an invoice paid for less than the payment’s debit': [
      fromAlice({ debit: '23' }),
      paid([BOB, '220000'], [FX, '-220000']),
      settled('220000'),
    ],
  }),
  ...refused('PY004', {
    'an invoice settled by a payment of another invoice with the same hash': [
      fromAlice({ invoice: `'ln'` }),
      paid([FX, '5'], [house('fees', 'SAT'), '-5']),
      settled('null'),
    ],
  }),
]

const THE_NEW = `where id = ${UNDER_WAY_ID}`
const UNDER_WAY = newPayment({
  payment_hash: OTHER_HASH,
  user_id: `'bob'`,
  wallet_id: wallet('bob', 'SAT'),
  debit: '50',
  state: `'held'`,
})
const SENDING = `update payments set state = 'sending' ${THE_NEW}`
const SENT = `select post_entry('settle', 'settle by hand', array[${account('bob', 'SAT', 'held')}, ${house('lightning', 'SAT')}],
                                array[-50, 50], ${UNDER_WAY_ID})`
const SUCCEEDED = `update payments set state = 'succeeded', settled_at = now(), preimage = ${OTHER_PREIMAGE} ${THE_NEW}`
const ended = (state: string): string => `update payments set state = '${state}' ${THE_NEW}`

const PAYMENTS = [
  ...refused('PY001', {
    'the debit of a finished payment changed': `update payments set debit = 1 where state = 'succeeded'`,
    'a finished payment made to fail': `update payments set state = 'failed', preimage = null, settled_at = null where state = 'succeeded'`,
    'the preimage of a finished payment changed': `update payments set preimage = null where state = 'succeeded'`,
    'a finished payment assigned to another user': `update payments set user_id = 'bob' where state = 'succeeded'`,
    'a failed payment restarted': [
      newPayment({}),
      `update payments set state = 'sending' where payment_hash = repeat('a', 64)`,
    ],
  }),
  ...refused('LG005', {
    'a payment deleted': `delete from ${rows('payments', `state = 'succeeded'`)}`,
    'all payments truncated, with all rows that refer to them': `truncate payments cascade`,
  }),
  ...refused('0A000', { 'all payments truncated': `truncate payments` }),
  ...refused('23505', {
    'a second payment for a hash that was paid': newPayment({ payment_hash: HASH, state: `'held'` }),
  }),
  ...refused('23514', {
    'a payment that succeeded without a preimage': newPayment({ state: `'succeeded'`, settled_at: 'now()' }),
    'a payment whose preimage does not match its hash': newPayment({
      state: `'succeeded'`,
      settled_at: 'now()',
      preimage: `repeat('b', 64)`,
    }),
    'a payment with a debit of zero': newPayment({ debit: '0' }),
    'a payment of zero': newPayment({ amount_msats: '0' }),
    'a payment with a negative fee': newPayment({ network_fee_msats: '-1' }),
    'a payment in an unknown state': newPayment({ state: `'lost'` }),
  }),
  ...refused('PY002', {
    'a payment held again after it was sent': [
      newPayment({ state: `'sending'` }),
      `update payments set state = 'held' where payment_hash = repeat('a', 64)`,
    ],
    'a payment that succeeds without having been sent': [
      newPayment({ state: `'held'`, payment_hash: OTHER_HASH }),
      `update payments set state = 'succeeded', settled_at = now(), preimage = ${OTHER_PREIMAGE} where payment_hash = ${OTHER_HASH}`,
    ],
  }),
  ...refused('PY003', {
    'a payment that succeeded without an entry': newPayment({
      state: `'succeeded'`,
      settled_at: 'now()',
      payment_hash: OTHER_HASH,
      preimage: OTHER_PREIMAGE,
    }),
    'an entry added to a finished payment': `select post_entry('settle', 'once more', array[${account('alice', 'USD')}, ${FAUCET}], array[-1, 1], ${PAYMENT})`,
  }),
  ...refused('PY003', {
    'a payment in progress for which nothing is held': newPayment({ state: `'held'` }),
    'a payment that is sent and for which nothing is held': newPayment({ state: `'sending'` }),
    'a payment for which less is held than it takes': [UNDER_WAY, held('bob', '49')],
    'a payment that failed and took money': [
      newPayment({}),
      `select post_entry('payment', 'by hand', array[${ALICE}, ${FAUCET}], array[-500, 500], ${NEW_PAYMENT})`,
    ],
    'a payment whose money went out and that failed': [UNDER_WAY, held('bob', '50'), SENDING, SENT, ended('failed')],
    'a payment that failed and keeps its money held': [UNDER_WAY, held('bob', '50'), ended('failed')],
    'a payment that succeeded and keeps its money held': [UNDER_WAY, held('bob', '50'), SENDING, SUCCEEDED],
    'a payment in progress whose money went out': [UNDER_WAY, held('bob', '50'), SENDING, SENT],
    'a payment that took money from its user and paid a third party': [
      newPayment({}),
      `select post_entry('payment', 'by hand', array[${house('faucet', 'SAT')}, ${BOB}, ${ALICE}, ${FAUCET}],
                         array[-5, 5, -5, 5], ${NEW_PAYMENT})`,
    ],
  }),
  ...refused(
    'PY006',
    Object.fromEntries(
      Object.entries({
        'another hash': `payment_hash = repeat('d', 64)`,
        'another user': `user_id = 'alice', wallet_id = ${wallet('alice', 'USD')}`,
        'another wallet': `wallet_id = ${wallet('alice', 'USD')}`,
        'another amount': 'amount_msats = 2',
        'another invoice': `invoice = 'ln'`,
        'more to pay': 'debit = 51',
        'less to pay': 'debit = 49',
        'another time': `created_at = now() - interval '1 day'`,
        'another expiry': `expires_at = now()`,
        'another token': `connection_id = 'x'`,
        'other rates': `rate_snapshot_id = 'x'`,
        'more to pay when it succeeds': `debit = 51, state = 'succeeded', settled_at = now(), preimage = ${OTHER_PREIMAGE}`,
      }).map(([what, change]) => [
        `a payment in progress given ${what}`,
        [UNDER_WAY, held('bob', '50'), SENDING, `update payments set ${change} ${THE_NEW}`],
      ]),
    ),
  ),
  ...refused('23503', {
    'a payment from another user’s wallet': newPayment({ wallet_id: wallet('bob', 'SAT') }),
  }),
]

const RATES = [
  ...refused('LG005', {
    'the rates of a payment changed afterwards': `update rate_snapshots set rates = '[]'::jsonb`,
    'the rates of a payment deleted': `delete from rate_snapshots`,
    'all rates truncated, with all rows that refer to them': `truncate rate_snapshots cascade`,
  }),
]

export const FORBIDDEN: readonly Forbidden[] = [
  ...ACCOUNTS,
  ...WALLETS,
  ...ENTRIES,
  ...POSTINGS,
  ...INVOICES,
  ...PAYMENTS,
  ...PAYEES,
  ...RATES,
]
