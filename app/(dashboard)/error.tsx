'use client'

/** Shown inside the layout of the dashboard, so that the header and the navigation stay when one page fails. */
export { default } from '../error'
