import { createHash } from 'node:crypto'
import type { Session } from '../databases/databases'

/** Rows in each growing table. The events have more: the cap of one user. */
export const ROWS = 20_000
/** Rows that a user may have in `events`, and the users who have that many. */
const EVENTS_OF_USER = 5_000
export const OUTSIDE_EVENTS_OF_USER = 500
/** Among the events of each user: a login whose token no call has used. */
const LOGIN_EVENT = 2_501
export const EVENT_OWNERS = ['anna', 'bert', 'cara', 'dora', 'emil'] as const

/** The user who owns every row of a growing table, and the user whom she pays. */
export const ANNA = 'anna'
export const BERT = 'bert'
export const CONNECTION = 'connection-1'
export const LOGIN = 'login-1'
export const SESSION = 'session-1'
/** Keys of the Lightning nodes: ours, and the peer that anna pays and is paid by. */
export const OWN_NODE = `02${'0'.repeat(64)}`
export const PEER = `02${'1'.repeat(64)}`
export const ANNA_WALLET = 1
export const BERT_WALLET = 2
export const SNAPSHOT = 'rates-1'
export const PEER_ADDRESS = '$peer@peer.example'

/** What a payment hash belongs to. */
export const KINDS = {
  paidInside: 1,
  paidOutside: 2,
  received: 3,
  open: 4,
  requested: 5,
  quoted: 6,
  sending: 7,
  new: 8,
} as const
type Kind = keyof typeof KINDS

export function preimageOf(kind: Kind, index: number): string {
  return (KINDS[kind] * 1_000_000 + index).toString(16).padStart(64, '0')
}
export function hashOf(kind: Kind, index: number): string {
  return createHash('sha256')
    .update(Buffer.from(preimageOf(kind, index), 'hex'))
    .digest('hex')
}
export function invoiceOf(kind: Kind, index: number): string {
  return `lnbcrt-${kind}-${index}`
}
export const umaInvoiceOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** The ids of a wallet's two accounts. */
export const availableOf = (wallet: number): number => 10 + 2 * wallet
export const heldOf = (wallet: number): number => 11 + 2 * wallet
/** The suspense account comes with the migrations. */
export const HOUSE = { suspense: 1, lightning: 2, fx: 3, fees: 4, rounding: 5, faucet: 6 } as const
export const NODE_ACCOUNT = 7

/** Ids of payments: inside, to the peer, failed, and in progress. There are `ROWS` of the first two, and 20 in progress. */
export const firstPayment = { inside: 1, outside: ROWS + 1, failed: 2 * ROWS + 1, open: 2 * ROWS + 101 } as const
export const OPEN_PAYMENTS = 20
/** Ids of invoices: paid by anna, received by anna, open, and requested by other VASPs. */
export const firstInvoice = { paid: 1, received: ROWS + 1, open: 2 * ROWS + 1, requested: 3 * ROWS + 1 } as const
/** Postings: two of each opening entry, payment inside and received payment, five of each payment to the peer. */
const OPENINGS = 2

const kindOf = (kind: Kind): string => `lpad(to_hex(${KINDS[kind] * 1_000_000} + i), 64, '0')`
const hash = (preimage: string): string => `encode(sha256(decode(${preimage}, 'hex')), 'hex')`
/** A row every ten seconds, the newest now. */
const WHEN = `now() - (${ROWS} - i) * interval '10 seconds'`
/** A row every minute: two weeks of sign-ins. */
const DAYS_AGO = `now() - (${ROWS} - i) * interval '1 minute'`
const EACH = `generate_series(1, ${ROWS}) i`

/**
 * The SQL that fills a migrated database: each growing table at `ROWS` or at its cap, nearly all of it owned by one user. The
 * books balance. It needs a superuser, because it writes the rows as a restored dump does: without triggers.
 */
const FILL = `
set session_replication_role = replica;
insert into rate_snapshots (id, rates) select 'rates-' || i, '{}' from ${EACH};
insert into users (id, display_name, password_hash) select id, id, 'x' from unnest(array['${EVENT_OWNERS.join("','")}']) id;
insert into users (id, display_name, password_hash, made_on_demand, last_used_at, expires_at, status, created_at, manage_token_hash)
  select 'guest-' || i, 'Guest', 'x', true, ${WHEN}, ${WHEN}, case when i <= 100 then 'active' else 'closed' end,
         ${WHEN}, case when i <= 100 then lpad(i::text, 64, '0') end from ${EACH};
insert into wallets (id, user_id, currency_code, position) overriding system value values (1, 'anna', 'SAT', 0), (2, 'bert', 'SAT', 0);
insert into wallets (id, user_id, currency_code, position) overriding system value select 2 + i, 'guest-' || i, 'SAT', 0 from ${EACH};
insert into ledger_accounts (id, kind, currency_code) overriding system value
  select 1 + place, kind, 'SAT' from unnest(array['lightning', 'fx', 'fees', 'rounding', 'faucet']) with ordinality as house (kind, place);
insert into ledger_accounts (id, kind, currency_code, balance, node_key) overriding system value values (${NODE_ACCOUNT}, 'node', 'SAT', 0, '${PEER}');
insert into ledger_accounts (id, kind, currency_code, wallet_id, balance) overriding system value
  select 10 + 2 * id, 'available', 'SAT', id, 0 from wallets union all select 11 + 2 * id, 'held', 'SAT', id, 0 from wallets;

insert into sessions (id, user_id, created_at, expires_at, ended_at)
  select 'session-' || i, 'anna', ${DAYS_AGO}, now() + case when i = 1 then interval '1 hour' else interval '-30 hours' end, null from ${EACH};
insert into login_grants (id, user_id, session_id, app_host, created_at, expires_at, exchanges)
  select 'login-' || i, 'anna', 'session-' || i, 'app.example', ${DAYS_AGO}, now() - interval '30 hours', 1 from ${EACH};
insert into connections (id, user_id, login_grant_id, name, permissions, created_at, expires_at, revoked_at, last_used_at)
  select 'connection-' || i, 'anna', 'login-' || i, 'App', array['get_balance', 'make_invoice'], ${DAYS_AGO},
         case when i > ${ROWS} - 10 then now() - interval '1 minute' else now() + interval '1 day' end,
         case when i between 2001 and 4000 then now() - interval '100 days' when i between 500 and ${ROWS} - 11 then now() end,
         now() - interval '1 hour' from ${EACH};
insert into login_grants (id, user_id, created_at, expires_at)
  select 'unused-' || i, 'anna', now() - interval '3 days', now() - interval '3 days' from generate_series(1, 2000) i;
insert into connection_faults (connection_id, kind, stage, seconds, calls_left, expires_at)
  select 'connection-' || (1 + i % 2000), 'delay', 'before', 5, 3, now() + interval '1 hour' from ${EACH};
update connections set faults_until = now() + interval '1 hour' where id = '${CONNECTION}';
insert into password_attempts (key_hash, wrong, allowed_at, forgotten_at)
  select lpad(i::text, 43, '0'), case when i <= 200 then 0 else 3 end, now(), now() + case when i <= 100 then interval '-1 minute' else i * interval '1 minute' end
  from ${EACH};

insert into invoices (id, payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, created_at, expires_at, settled_at, received_msats, credited)
  overriding system value
  select i, ${hash(kindOf('paidInside'))}, ${kindOf('paidInside')}, 'lnbcrt-paidInside-' || i, 'bert', 2, 1000, ${WHEN}, ${WHEN} + interval '1 hour', ${WHEN}, 1000, 1000
  from ${EACH} union all
  select ${firstInvoice.received - 1} + i, ${hash(kindOf('received'))}, ${kindOf('received')}, 'lnbcrt-received-' || i, 'anna', 1, 1000, ${WHEN}, ${WHEN} + interval '1 hour', ${WHEN}, 1000, 1000
  from ${EACH} union all
  select ${firstInvoice.open - 1} + i, ${hash(kindOf('open'))}, ${kindOf('open')}, 'lnbcrt-open-' || i, 'anna', 1, 1000, ${WHEN},
         case when i > ${ROWS} - 200 then now() + interval '1 hour' when i <= 2000 then now() - interval '40 days'
              else now() - interval '1 hour' end, null, null, null from ${EACH};
insert into invoices (id, payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, created_at, expires_at, fixed_credit, rate_snapshot_id)
  overriding system value
  select ${firstInvoice.requested - 1} + i, ${hash(kindOf('requested'))}, ${kindOf('requested')}, 'lnbcrt-requested-' || i, 'anna', 1, 1000,
         now() - case when i > ${ROWS} - 200 then interval '1 minute' else interval '30 hours' end,
         now() + case when i > ${ROWS} - 200 then interval '9 minutes' else interval '-29 hours' end, 1000, '${SNAPSHOT}' from ${EACH};
insert into uma_invoices (id, uuid, user_id, wallet_id, amount, encoded, expires_at, max_payments) overriding system value
  select i, ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'anna', 1, 1, 'uma', now() + interval '1 hour', 1000 from ${EACH};
insert into uma_pay_requests (invoice_id, protocol, payer_address, uma_invoice_id, callback_id, remote_callback_url, payer_network)
  select ${firstInvoice.requested - 1} + i, case when i % 2 = 0 then 'lnurl' else 'uma-1' end,
         case when i % 2 = 1 then '${PEER_ADDRESS}' end, case when i between 1001 and 2000 then 1 end, 'callback-' || i,
         case when i % 2 = 1 then 'https://peer.example/callback' end, case when i % 2 = 0 then '127.0.0.1' end from ${EACH};
insert into uma_requests (id, user_id, receiver_address, uuid, encoded, amount, currency, created_at, expires_at) overriding system value
  select i, 'anna', '${PEER_ADDRESS}', ('00000000-0000-4000-8000-' || lpad((case when i > ${ROWS} - 40 then 500000 + i else i end)::text, 12, '0'))::uuid, 'uma', 1, '{}', now() - (${ROWS} - i) * interval '1 hour',
         now() + case when i > ${ROWS} - 40 then interval '1 hour' else interval '-2 days' end from ${EACH};

insert into quotes (id, payment_hash, invoice, user_id, connection_id, wallet_id, receiver_address, protocol, locked_side, total_sending_amount,
                    debit, fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier, amount_msats, fee_limit_msats, rate_snapshot_id,
                    callback_id, remote_callback_url, uma_invoice, uma_invoice_uuid, created_at, expires_at) overriding system value
  select i, ${hash(kindOf('paidOutside'))}, 'lnbcrt-paidOutside-' || i, 'anna', '${CONNECTION}', 1, '${PEER_ADDRESS}', 'uma-1', 'sending', 1,
         1000, 0, 0, '{}'::jsonb, 1, 1, 1000, 0, '${SNAPSHOT}', 'quote-callback-' || i, 'https://peer.example/callback', 'uma',
         ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, ${WHEN}, now() - interval '1 hour' from ${EACH}
  union all
  select ${ROWS} + i, ${hash(kindOf('quoted'))}, 'lnbcrt-quoted-' || i, 'anna', '${CONNECTION}', 1, '${PEER_ADDRESS}', 'uma-1', 'sending', 1,
         1000, 0, 0, '{}'::jsonb, 1, 1, 1000, 0, '${SNAPSHOT}', null, null, null, null, now(), now() + interval '10 minutes'
  from generate_series(1, 20) i;
insert into address_payment_keys (connection_id, idempotency_key, request_fingerprint, payment_hash)
  select '${CONNECTION}', 'key-' || i, 'fingerprint', ${hash(kindOf('paidOutside'))} from ${EACH};

insert into payments (id, payment_hash, invoice, user_id, connection_id, wallet_id, quote_id, amount_msats, debit, rate_snapshot_id, state, preimage,
                      failure, created_at, expires_at, settled_at, node_key, payee_key, idempotency_key, lease_owner, lease_expires_at) overriding system value
  select i, ${hash(kindOf('paidInside'))}, 'lnbcrt-paidInside-' || i, 'anna', '${CONNECTION}', 1, null::bigint, 1000, 1000, '${SNAPSHOT}', 'succeeded',
         ${kindOf('paidInside')}, null, ${WHEN}, ${WHEN} + interval '1 hour', ${WHEN}, null, null, 'inside-' || i, null, null::timestamptz from ${EACH} union all
  select ${firstPayment.outside - 1} + i, ${hash(kindOf('paidOutside'))}, 'lnbcrt-paidOutside-' || i, 'anna', '${CONNECTION}', 1, i, 1000, 1000, '${SNAPSHOT}', 'succeeded',
         ${kindOf('paidOutside')}, null, ${WHEN}, ${WHEN} + interval '1 hour', ${WHEN}, '${PEER}', '${PEER}', 'outside-' || i, null, null from ${EACH} union all
  select ${firstPayment.failed - 1} + i, ${hash(kindOf('sending'))}, 'lnbcrt-sending-' || i, 'anna', null, 1, null, 1000, 1000, '${SNAPSHOT}', 'failed', null, 'no-route',
         now() - interval '1 day', now() - interval '1 hour', null, '${PEER}', '${PEER}', null, null, null from generate_series(1, 100) i union all
  select ${firstPayment.open - 1} + i, ${hash(kindOf('sending'))}, 'lnbcrt-sending-' || i, 'anna', '${CONNECTION}', 1, null, 1000, 1000, '${SNAPSHOT}',
         case when i % 2 = 0 then 'held' else 'sending' end, null, null,
         now() - interval '2 minutes', now() + interval '1 hour', null, '${PEER}', '${PEER}', null, 'nobody', now() - interval '1 minute'
  from generate_series(1, ${OPEN_PAYMENTS}) i;
insert into incoming_payments (id, payment_hash, node_key, amount_msats, invoice_id, created_at) overriding system value
  select i, ${hash(kindOf('received'))}, '${PEER}', 1000, ${firstInvoice.received - 1} + i, ${WHEN} from ${EACH};
insert into lightning_node.sends (send_id, payment_hash, payer, payee, amount_msats, fee_limit_msats, fee_msats, state, preimage, created_at, ended_at)
  select ${firstPayment.outside - 1} + i, ${hash(kindOf('paidOutside'))}, '${OWN_NODE}', '${PEER}', 1000, 0, 0, 'succeeded', ${kindOf('paidOutside')}, ${WHEN}, ${WHEN}
  from ${EACH} union all
  select ${firstPayment.open - 1} + i, ${hash(kindOf('sending'))}, '${OWN_NODE}', '${PEER}', 1000, 0, null, 'in_flight', null, now(), null
  from generate_series(1, ${OPEN_PAYMENTS}, 2) i;
insert into lightning_node.lnd_sends (send_id, payment_hash, state, previous_index, payment_index, preimage, fee_msats, created_at, ended_at)
  select ${firstPayment.outside - 1} + i, ${hash(kindOf('paidOutside'))}, 'succeeded', 0, i, ${kindOf('paidOutside')}, 0, ${WHEN}, ${WHEN} from ${EACH} union all
  select ${firstPayment.open - 1} + i, ${hash(kindOf('sending'))}, 'posted', 0, null, null, null, now(), null
  from generate_series(1, ${OPEN_PAYMENTS}, 2) i;
insert into lightning_node.receipts (payer, payment_hash, attempt, state, amount_msats, preimage, failure, created_at)
  select '${PEER}', ${hash(kindOf('received'))}, 'attempt-' || i, 'received', 1000, ${kindOf('received')}, null, ${WHEN} from ${EACH} union all
  select '${PEER}', ${hash(kindOf('new'))}, 'attempt-' || i, 'refused', null, null, 'late', now() - interval '26 hours' from ${EACH};
insert into lightning_node.reconciliation_items (peer, direction, payment_hash, attempt, amount_msats)
  select '${PEER}', 'received', ${hash(kindOf('received'))}, 'attempt-' || i, 1000 from ${EACH};
insert into lightning_node.own_key (id, public_key) values (1, '${OWN_NODE}');
insert into lightning_cursors (node_key, cursor) values ('${OWN_NODE}', '1');
insert into payment_write_offs (payment_id, written_off_by, reason, resolved_at)
  select ${firstPayment.failed - 1} + i, 'operator', 'gone', case when i > 5 then now() end from generate_series(1, 100) i;

-- Two openings, then for each i a payment inside, a payment to the peer (hold and settle) and a received payment, then the open holds.
insert into journal_entries (id, kind, idempotency_key, content_hash, payment_id, incoming_payment_id, created_at) overriding system value
  select i, 'opening', 'opening:' || case i when 1 then 'anna' else 'bert' end || ':SAT', 'x', null::bigint, null::bigint, now() - interval '3 days' from generate_series(1, ${OPENINGS}) i union all
  select ${OPENINGS} + 4 * (i - 1) + 1, 'payment', 'payment:' || i, 'x', i, null, ${WHEN} from ${EACH} union all
  select ${OPENINGS} + 4 * (i - 1) + 2, 'hold', 'hold:' || ${firstPayment.outside - 1} + i, 'x', ${firstPayment.outside - 1} + i, null, ${WHEN} from ${EACH} union all
  select ${OPENINGS} + 4 * (i - 1) + 3, 'settle', 'settle:' || ${firstPayment.outside - 1} + i, 'x', ${firstPayment.outside - 1} + i, null, ${WHEN} from ${EACH} union all
  select ${OPENINGS} + 4 * (i - 1) + 4, 'receive', 'receive:' || i, 'x', null, i, ${WHEN} from ${EACH} union all
  select ${OPENINGS + 4 * ROWS} + i, 'hold', 'hold:' || ${firstPayment.open - 1} + i, 'x', ${firstPayment.open - 1} + i, null, now() from generate_series(1, ${OPEN_PAYMENTS}) i;
insert into postings (entry_id, account_id, currency_code, amount, balance_after)
  select entry_id, account_id, 'SAT', amount, case when account_id > 6 then sum(amount) over (partition by account_id order by entry_id, account_id) end
  from (
    select i as entry_id, ${HOUSE.faucet} as account_id, -1000000000 as amount from generate_series(1, ${OPENINGS}) i union all
    select i, 10 + 2 * i, 1000000000 from generate_series(1, ${OPENINGS}) i union all
    select ${OPENINGS} + 4 * (i - 1) + entry, account, amount
    from ${EACH}, (values (1, ${availableOf(ANNA_WALLET)}, -1000), (1, ${availableOf(BERT_WALLET)}, 1000),
                          (2, ${availableOf(ANNA_WALLET)}, -1000), (2, ${heldOf(ANNA_WALLET)}, 1000),
                          (3, ${NODE_ACCOUNT}, 1000), (3, ${heldOf(ANNA_WALLET)}, -1000),
                          (4, ${NODE_ACCOUNT}, -1000), (4, ${availableOf(ANNA_WALLET)}, 1000)) step (entry, account, amount) union all
    select ${OPENINGS + 4 * ROWS} + i, account, amount
    from generate_series(1, ${OPEN_PAYMENTS}) i, (values (${availableOf(ANNA_WALLET)}, -1000), (${heldOf(ANNA_WALLET)}, 1000)) step (account, amount)
  ) line order by entry_id, account_id;
update ledger_accounts a set balance = coalesce((select balance_after from postings p where p.account_id = a.id order by id desc limit 1), 0)
  where id <= ${heldOf(BERT_WALLET)} and balance is not null;

insert into movements (entry_id, wallet_id, id, user_id, currency_code, kind, amount, sent, payment_hash, connection_id, party, memo, created_at)
  select e.id, w.id, min(l.id), w.user_id, 'SAT', e.kind, sum(l.amount), sum(l.amount) < 0, coalesce(p.payment_hash, r.payment_hash),
         case when sum(l.amount) < 0 then '${CONNECTION}' end, '${PEER_ADDRESS}', 'memo', e.created_at
  from postings l join journal_entries e on e.id = l.entry_id join ledger_accounts a on a.id = l.account_id join wallets w on w.id = a.wallet_id
  left join payments p on p.id = e.payment_id left join incoming_payments r on r.id = e.incoming_payment_id
  group by e.id, w.id, p.payment_hash, r.payment_hash having sum(l.amount) <> 0;

insert into uma_remote_keys (domain, document, fetched_at, expires_at)
  select 'vasp-' || i || '.example', '{}', now(), now() + case when i <= 100 then interval '-1 hour' else interval '1 hour' end from ${EACH};
insert into uma_nonces (domain, nonce, expires_at)
  select 'peer.example', 'nonce-' || i, now() + case when i <= 10000 then interval '-1 hour' else interval '1 hour' end from ${EACH};
insert into uma_callbacks (payment_hash, user_id, url, amount_msats, tries, next_try_at)
  select ${hash(kindOf('paidOutside'))}, 'anna', 'https://peer.example/callback', 1000, case when i <= ${ROWS} - 50 then 5 else 1 end,
         case when i > ${ROWS} - 50 then ${WHEN} end from ${EACH};
-- One user at a time, so that the newest rows of all users are those of the last.
insert into events (kind, name, detail, user_id, from_outside, connection_id, request_id, payment_hash, status, summary, recorded_at)
  select case when i = ${LOGIN_EVENT} then 'login' when i % 3 = 0 then 'uma_message' else 'api_call' end,
         case when i = ${LOGIN_EVENT} then 'login token issued' when i % 3 = 0 then 'lookup answered' else 'GET /balance' end,
         case when i = ${LOGIN_EVENT} then '{"facts": {"loginId": "unused"}}' else '{}' end::jsonb, owner, i <= ${OUTSIDE_EVENTS_OF_USER}, 'connection-' || (1 + i % 400), 'request-' || i,
         case when i % 100 = 0 then ${hash(kindOf('paidInside'))} end, 200, '', now() - (${EVENTS_OF_USER} - i) * interval '10 seconds'
  from unnest(array['${EVENT_OWNERS.join("','")}']) owner, generate_series(1, ${EVENTS_OF_USER}) i;
insert into events (kind, name, status, recorded_at)
  select 'login', 'login refused', 400, now() - (${EVENTS_OF_USER} - i) * interval '10 seconds' from generate_series(1, ${EVENTS_OF_USER}) i;
select setval(pg_get_serial_sequence(name, 'id'), 1000000)
  from unnest(array['wallets', 'ledger_accounts', 'invoices', 'uma_invoices', 'uma_requests', 'quotes', 'payments', 'incoming_payments', 'journal_entries']) name;
set session_replication_role = default;
`

export async function fill(session: Session): Promise<void> {
  for (const statement of FILL.split(/;\n/)) if (statement.trim() !== '') await session.query(statement)
}
