/** The templates of polls, in English. They are loaded with the page of a new poll, and fill its form. */
export const en = {
  start: {
    open: 'Use a template',
    title: 'Start from',
    text: 'It fills the form. Nothing is saved until you save it.',
    templates: 'A template',
    past: 'A past poll',
    find: 'Search your polls',
    none: 'No poll matches.',
  },
  templates: {
    next: {
      name: 'What comes next',
      use: 'Products, flavours, topics: let people choose what you make.',
      title: 'Which flavour should we make next?',
      a: 'Something new',
      b: 'An old favourite',
    },
    design: {
      name: 'Two designs',
      use: 'Add two pictures. Each device sees them in an order of its own.',
      title: 'Which cover do you prefer?',
      a: 'The first',
      b: 'The second',
    },
    feedback: {
      name: 'After reading',
      use: 'For articles and help pages. Only your team sees the result.',
      title: 'Did this answer your question?',
      a: 'Yes',
      b: 'No',
    },
    date: {
      name: 'Find a date',
      use: 'For events and meetings. Set when the poll closes.',
      title: 'When does it suit you better?',
      a: 'Friday evening',
      b: 'Saturday afternoon',
    },
    guess: {
      name: 'Guess the winner',
      use: 'For games and awards. Close it before the start; voters see the result.',
      title: 'Who wins tonight?',
      a: 'The home team',
      b: 'The guests',
    },
    room: {
      name: 'Warm up a room',
      use: 'A light question for a stage or a call, with the result for everybody.',
      title: 'When do you do your best work?',
      a: 'In the morning',
      b: 'In the evening',
    },
  },
}
