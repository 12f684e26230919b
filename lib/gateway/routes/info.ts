import { addressOf } from '../../users/address'
import { currencyOf } from '../../money/currencies'
import { toWireInteger } from '../../money/convert'
import { limitsOf } from '../../money/limits'
import { multiplierOf } from '../../money/rates'
import { z } from 'zod'
import { settingNames } from '../commands'
import { commandRoute } from '../route'
import { InfoReply } from '../schemas'

/** The VASP's colour in a wallet's list of nodes. */
const COLOR = '#0F5B4C'

/** `GET /info`: also called with the login token, to show currencies on the approval screen. */
export const infoRoute = commandRoute({
  command: 'get_info',
  accepts: ['login', 'connection'],
  query: z.object({}),
  reply: InfoReply,
  run: ({ deps, caller }) => ({
    alias: deps.settings.vaspName,
    color: COLOR,
    pubkey: deps.node.publicKeyHex,
    network: 'regtest' as const,
    methods: settingNames(),
    lud16: addressOf(caller.username, deps.settings.vaspDomain),
    currencies: caller.wallets.map(({ code }) => {
      const limits = limitsOf(code)
      return {
        currency: currencyOf(code),
        multiplier: multiplierOf(code),
        min: toWireInteger(limits.min),
        max: toWireInteger(limits.max),
      }
    }),
  }),
})
