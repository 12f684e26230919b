import type { SandboxNode } from './node'

/** Answers a call to `/sandbox-ln`: 404 when the VASP's node is not a sandbox node. Never throws. */
export function answerPeer(node: Pick<SandboxNode, 'answer'> | undefined, request: Request): Promise<Response> {
  return node?.answer(request) ?? Promise.resolve(new Response(null, { status: 404 }))
}
