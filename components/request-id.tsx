import { application } from '@/lib/backend/application'

/** Names one filling-in of a form, so that a double click moves money once. Off, or a browser would bring back an old one. */
export function RequestId({
  kept,
}: {
  /** Of a filling-in that is sent once more. */ readonly kept?: string | undefined
}) {
  return <input type="hidden" name="request_id" value={kept ?? application().ids.uuid()} autoComplete="off" />
}
