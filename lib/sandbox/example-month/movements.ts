import type { CurrencyCode } from '../../money/currencies'

type Wallet = readonly [username: string, code: CurrencyCode]

/** A payment between two users of the VASP, or a conversion between two wallets of one. */
export interface PastMovement {
  /** Days after the opening of the wallets, and the time of that day in minutes. */
  readonly day: number
  readonly minute: number
  readonly from: Wallet
  readonly to: Wallet
  /** The value in satoshis: a multiple of 10, and of 1,000 for other currencies than dollars, so that both amounts are exact. */
  readonly sats: bigint
  readonly memo: string
}

const ALICE: Wallet = ['alice', 'USD']
const ALICE_EUR: Wallet = ['alice', 'EUR']
const ALICE_SAT: Wallet = ['alice', 'SAT']
const BOB: Wallet = ['bob', 'SAT']
const YUKI: Wallet = ['yuki', 'JPY']
const KHALID: Wallet = ['khalid', 'KWD']
const PENNY: Wallet = ['penny', 'USD']

/** The month before the demo. Each wallet ends with its opening balance, because README, tests and a reset state that balance. */
export const MONTH: readonly PastMovement[] = [
  move(1, '08:12', ALICE, BOB, 4_500n, 'Coffee and a croissant'),
  move(2, '09:00', BOB, ALICE, 180_700n, 'Salary'),
  move(3, '10:30', ALICE, BOB, 120_000n, 'Rent'),
  move(4, '17:45', ALICE, BOB, 38_200n, 'Groceries'),
  move(5, '11:05', KHALID, ALICE_EUR, 100_000n, 'Consulting, invoice 12'),
  move(6, '18:20', ALICE, PENNY, 10_000n, 'Pocket money'),
  move(7, '08:10', ALICE, BOB, 4_500n, 'Coffee'),
  move(7, '20:15', YUKI, BOB, 10_000n, 'Green tea'),
  move(8, '12:40', ALICE_SAT, BOB, 21_000n, 'Two concert tickets'),
  move(9, '14:00', ALICE_EUR, YUKI, 50_000n, 'Logo, final version'),
  move(10, '09:30', ALICE, ALICE_SAT, 50_000n, ''),
  move(11, '16:10', PENNY, ALICE, 8_000n, 'Paid back'),
  move(12, '08:14', ALICE, BOB, 4_500n, 'Coffee'),
  move(13, '18:20', ALICE, PENNY, 10_000n, 'Pocket money'),
  move(14, '19:30', BOB, ALICE_SAT, 10_500n, 'My half of the tickets'),
  move(15, '10:00', YUKI, ALICE_EUR, 25_000n, 'Language lesson'),
  move(16, '13:25', KHALID, BOB, 25_000n, 'Dates and cardamom'),
  move(17, '11:15', ALICE_EUR, ALICE, 50_000n, ''),
  move(18, '08:11', ALICE, BOB, 4_500n, 'Coffee'),
  move(19, '15:00', ALICE_EUR, KHALID, 60_000n, 'Share of the flat in Lisbon'),
  move(20, '18:20', ALICE, PENNY, 10_000n, 'Pocket money'),
  move(21, '12:05', BOB, YUKI, 20_000n, 'Tea bowls'),
  move(22, '10:00', YUKI, ALICE_EUR, 25_000n, 'Language lesson'),
  move(23, '17:50', BOB, KHALID, 25_000n, 'Delivery of the spices'),
  move(24, '09:45', ALICE_SAT, ALICE, 50_000n, ''),
  move(25, '20:15', YUKI, BOB, 10_000n, 'Green tea'),
  move(26, '16:30', PENNY, ALICE, 22_000n, 'Paid back, with thanks'),
  move(27, '08:13', ALICE, BOB, 4_500n, 'Coffee'),
  move(28, '12:30', ALICE_EUR, KHALID, 40_000n, 'Cleaning of the flat'),
  move(29, '09:20', ALICE, ALICE_EUR, 50_000n, ''),
  move(29, '21:05', BOB, ALICE_SAT, 10_500n, 'The other ticket'),
]

function move(day: number, time: string, from: Wallet, to: Wallet, sats: bigint, memo: string): PastMovement {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return { day, minute: 60 * hours + minutes, from, to, sats, memo }
}
