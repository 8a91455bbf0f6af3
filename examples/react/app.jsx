import { Poll, TossupProvider, usePoll } from '@tossup/sdk/react'
import { Visitor } from '@tossup/sdk/visitor'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const visitor = new Visitor({ url: 'http://127.0.0.1:3000' })

function Page() {
  const [last, setLast] = useState('none yet')
  return (
    <TossupProvider visitor={visitor}>
      <h1>What people like</h1>
      <Poll
        poll="tea-or-coffee"
        accent="b45309"
        onVoted={({ option, tallies }) => setLast(`${option}, one of ${tallies.total}`)}
      />
      <p>
        Last vote: <output id="last">{last}</output>
      </p>
      <h2>The same for those who draw polls themselves</h2>
      <OwnPoll poll="mountains-or-sea" />
    </TossupProvider>
  )
}

function OwnPoll({ poll: slug }) {
  const { poll, option, error, vote } = usePoll(slug)
  if (!poll) return <p>{error ? 'Not found' : 'Loading …'}</p>
  const { optionA, optionB, tallies } = poll
  const asked = error ? 'Please try again.' : 'What do you say?'
  return (
    <fieldset disabled={option !== null}>
      <legend>{poll.title}</legend>
      <button type="button" onClick={() => vote('A')}>
        {optionA.label}
      </button>{' '}
      <button type="button" onClick={() => vote('B')}>
        {optionB.label}
      </button>
      <p role="status">{option ? `${tallies.optionA} to ${tallies.optionB}` : asked}</p>
    </fieldset>
  )
}

createRoot(document.getElementById('root')).render(<Page />)
