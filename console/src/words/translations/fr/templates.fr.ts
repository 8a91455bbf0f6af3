import type { en } from '../../english/en-templates.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  start: {
    open: 'Utiliser un modèle',
    title: 'Partir de',
    text: 'Cela remplit le formulaire. Rien n’est enregistré avant que vous l’enregistriez.',
    templates: 'Un modèle',
    past: 'Un ancien sondage',
    find: 'Rechercher dans vos sondages',
    none: 'Aucun sondage ne correspond.',
  },
  templates: {
    next: {
      name: 'La suite',
      use: 'Produits, parfums, sujets : laissez choisir ce que vous ferez.',
      title: 'Quel parfum faire ensuite ?',
      a: 'Une nouveauté',
      b: 'Un classique',
    },
    design: {
      name: 'Deux visuels',
      use: 'Ajoutez deux images. Chaque appareil les voit dans un ordre à lui.',
      title: 'Quelle couverture préférez-vous ?',
      a: 'La première',
      b: 'La seconde',
    },
    feedback: {
      name: 'Après la lecture',
      use: 'Pour les articles et l’aide. Seule votre équipe voit le résultat.',
      title: 'Avez-vous trouvé la réponse à votre question ?',
      a: 'Oui',
      b: 'Non',
    },
    date: {
      name: 'Trouver une date',
      use: 'Pour les événements et les réunions. Fixez la fermeture du sondage.',
      title: 'Quand préférez-vous ?',
      a: 'Vendredi soir',
      b: 'Samedi après-midi',
    },
    guess: {
      name: 'Deviner le vainqueur',
      use: 'Pour les matchs et les prix. Fermez-le avant le début ; les votants voient le résultat.',
      title: 'Qui gagne ce soir ?',
      a: 'L’équipe locale',
      b: 'Les visiteurs',
    },
    room: {
      name: 'Briser la glace',
      use: 'Une question légère pour une scène ou une visio ; tout le monde voit le résultat.',
      title: 'Quand travaillez-vous le mieux ?',
      a: 'Le matin',
      b: 'Le soir',
    },
  },
}
