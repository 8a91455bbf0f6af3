/** The words of what is done with polls beside editing them, in English. */
export const en = {
  duplicate: 'Duplicate',
  choose: 'Choose: {title}',
  chosen: '{count} chosen',
  archive: 'Archive',
  bringBack: 'Bring back',
  clear: 'Choose none',
  archived: '{count} polls are archived.',
  archivedOne: 'The poll is archived.',
  back: '{count} polls are back.',
  backOne: 'The poll is back.',
  partly: '{done} of {count} polls changed. {message}',
  undo: 'Undo',
}
