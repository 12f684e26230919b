import { randomInt } from 'node:crypto'

const ADJECTIVES =
  'able amber bold brave brief bright brisk broad busy calm candid clear clever cosmic crisp curious daring eager early easy fair fast fine fond fresh gentle glad golden grand green happy hardy honest humble jolly keen kind lively loyal lucky mellow merry mild neat nimble noble patient plain polite proud quick quiet rapid ready royal sharp shiny silent silver simple smart smooth solid spry steady sunny swift tidy trusty vivid warm wise witty young'.split(
    ' ',
  )
const ANIMALS =
  'badger beaver bison bobcat camel cheetah crane cricket curlew deer dolphin donkey dove duck eagle egret falcon ferret finch fox gecko gibbon goose hare hawk hedgehog heron ibex ibis jackal jaguar kestrel kiwi koala lark lemur leopard linnet llama lobster lynx magpie marten mole moose newt ocelot orca oriole otter owl panda parrot pelican penguin plover puffin quail rabbit raven robin salmon seal shrew sparrow starling stork swan tapir tern thrush tiger toucan turtle walrus weasel whale wombat wren zebra'.split(
    ' ',
  )

/** A random name such as `calm-otter`, with a number when the plain names may be used up. A name is never issued again. */
export function randomUsername(withNumber: boolean): string {
  const name = `${pick(ADJECTIVES)}-${pick(ANIMALS)}`
  return withNumber ? `${name}-${randomInt(1_000, 1_000_000)}` : name
}

/** `calm-otter` as `Calm Otter`. */
export function displayNameOf(username: string): string {
  return username
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(' ')
}

function pick(words: readonly string[]): string {
  const word = words[randomInt(words.length)]
  if (word === undefined) throw new Error('the list of words is empty')
  return word
}
