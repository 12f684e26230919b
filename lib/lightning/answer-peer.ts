import type { SimulatedNode } from './simulated-node/node'

/** Answers a call to `/sandbox-ln`: 404 when the VASP's node is not a simulated node. Never throws. */
export function answerPeer(node: Pick<SimulatedNode, 'answer'> | undefined, request: Request): Promise<Response> {
  return node?.answer(request) ?? Promise.resolve(new Response(null, { status: 404 }))
}
