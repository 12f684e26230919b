export const SHOP_NAME = 'Tern & Quill'

export interface Product {
  readonly id: string
  readonly number: number
  readonly name: string
  readonly about: string
  readonly priceSats: number
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'thread',
    number: 1,
    name: 'Linen thread',
    about: 'Forty metres, waxed, on a beech reel. Sews four notebooks.',
    priceSats: 350,
  },
  {
    id: 'notebook',
    number: 2,
    name: 'Pocket notebook',
    about: 'Sixty-four leaves, sewn, grey boards. Lies flat.',
    priceSats: 900,
  },
  {
    id: 'ink',
    number: 3,
    name: 'Blue-black ink',
    about: 'Thirty millilitres. Darkens on the page within a day.',
    priceSats: 2_400,
  },
  {
    id: 'press',
    number: 4,
    name: 'Bench press',
    about: 'Cast iron, fourteen kilograms. Costs more than the suggested budget. Buy it to see a payment refused.',
    priceSats: 180_000,
  },
]

export function productOf(id: string): Product | undefined {
  return PRODUCTS.find((product) => product.id === id)
}
