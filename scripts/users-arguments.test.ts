import { expect, it } from 'vitest'
import { readUsersArguments, readUsersRequest } from './users-arguments'

const WALLETS =
  '--wallets takes known currencies such as USD,SAT or, with opening balances in smallest units, USD:100000,SAT:5000.'
const NAME = 'A user name has 1 to 63 of the characters a-z 0-9 _ . + -'
const ACTIONS = 'Give one of add, list, suspend, resume, password, sign-out, remove.'

it.each([
  [[], ACTIONS],
  [['close', 'carol'], ACTIONS],
  [['add'], 'Give one user name after add.'],
  [['suspend'], 'Give one user name after suspend.'],
  [['sign-out'], 'Give one user name after sign-out.'],
  [['remove', 'carol', 'dora'], 'Give one user name after remove.'],
  [['list', 'carol'], 'list takes no user name.'],
  [['suspend', 'carol', '--name=C'], '--name and --wallets belong to add.'],
  [['add', 'Carol'], NAME],
  [['resume', '$carol@bank.example'], NAME],
  [['add', 'carol', '--wallets=XYZ'], WALLETS],
  [['add', 'carol', '--wallets='], WALLETS],
  [['add', 'carol', '--wallets=USD:-1'], WALLETS],
  [['add', 'carol', '--wallets=USD:1.50'], WALLETS],
  [['add', 'carol', '--name='], '--name takes 1 to 80 characters.'],
  [['add', 'carol', '--password=secret'], "Unknown option '--password'."],
])('%j names the wrong argument', (args, complaint) => {
  expect(() => readUsersArguments(args)).toThrow(new Error(complaint))
})

it.each([
  ['nothing', ''],
  ['seven characters', 'sandbox'],
  ['more than 200 characters', 'x'.repeat(201)],
])('says what a password has to be, and takes no password of %s', (_, password) => {
  for (const args of [
    ['add', 'carol'],
    ['password', 'carol'],
  ])
    expect(() => readUsersRequest({ ...readUsersArguments(args), password })).toThrow(
      new Error('A password has 8 to 200 characters. Send it on standard input, on one line.'),
    )
})
