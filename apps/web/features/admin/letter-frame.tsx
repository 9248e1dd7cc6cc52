import classes from "./admin.module.css";

/** A letter holds words of strangers: it is shown where it can run, fetch and send nothing. */
export function LetterFrame({ src, title }: { src: string; title: string }) {
  return (
    <iframe className={classes.letter} sandbox="" referrerPolicy="no-referrer" src={src} title={title} />
  );
}
