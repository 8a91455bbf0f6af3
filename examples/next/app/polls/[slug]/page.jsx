import { isTossupError, memoryStore, Visitor } from '@tossup/sdk/visitor'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { PollOnPage } from './poll.jsx'

const url = process.env.TOSSUP_URL ?? 'http://127.0.0.1:3000'

/** The page and its metadata share one request. */
const readPoll = cache(async (slug) => {
  const visitor = new Visitor({ url, storage: memoryStore() })
  try {
    return await visitor.getPoll(slug)
  } catch (error) {
    // A malformed name is no poll either.
    if (isTossupError(error, 'NOT_FOUND') || isTossupError(error, 'VALIDATION_ERROR')) notFound()
    throw error
  }
})

export async function generateMetadata({ params }) {
  const { slug } = await params
  const { title, optionA, optionB, shareUrl } = await readPoll(slug)
  return {
    title,
    description: `${optionA.label} or ${optionB.label}? Vote now.`,
    openGraph: { images: [{ url: `${shareUrl}/card.jpg`, width: 1200, height: 630 }] },
  }
}

export default async function Page({ params }) {
  const { slug } = await params
  const poll = await readPoll(slug)
  return (
    <main>
      <PollOnPage url={url} poll={poll} />
    </main>
  )
}
