import type { NodeReport } from '../../lightning/node'

const numbers = new Intl.NumberFormat('en')

/** "2 active channels, 1 more inactive. It can send 40,000 SAT and receive 3,000 SAT. 1 payment is in flight." */
export function channelsInWords(report: NodeReport): string {
  const { activeChannels, inactiveChannels, outboundSats, inboundSats, paymentsInFlight } = report
  const more = inactiveChannels === 0 ? '' : `, ${inactiveChannels} more inactive`
  const [out, into] = [numbers.format(outboundSats), numbers.format(inboundSats)]
  return [
    `${activeChannels} active ${activeChannels === 1 ? 'channel' : 'channels'}${more}.`,
    `It can send ${out} SAT and receive ${into} SAT.`,
    paymentsInFlight === 1 ? '1 payment is in flight.' : `${paymentsInFlight} payments are in flight.`,
    ...(report.isSynced ? [] : ['It has not read the chain to its end.']),
  ].join(' ')
}
