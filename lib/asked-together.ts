/** So many rounds under way at once: a slow one does not keep everybody waiting. */
const MOST_ROUNDS = 2
/** Questions of one round. */
const LARGEST_ROUND = 100

/**
 * Questions of one kind that come at the same moment are asked together, because a round trip costs about the same with ten
 * as with one. A question is only ever put in a round that begins after it came, so that no answer is older than its
 * question; it waits for the end of this turn of the event loop, or for a round under way.
 * @param ask answers in the order of the questions. What it throws, everybody of that round gets.
 */
export function askedTogether<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let rounds = 0
  let due = false

  function begin(): void {
    due = false
    while (waiting.length > 0 && rounds < MOST_ROUNDS) {
      const round = waiting.slice(0, LARGEST_ROUND)
      waiting = waiting.slice(LARGEST_ROUND)
      rounds += 1
      void carryOut(round)
    }
  }

  async function carryOut(round: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await ask(round.map(({ question }) => question))
      for (const [index, { resolve }] of round.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of round) reject(error)
    } finally {
      rounds -= 1
      begin()
    }
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (due || rounds >= MOST_ROUNDS) return
      due = true
      setImmediate(begin)
    })
}

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
