import classes from "./admin.module.css";

/** An email contains untrusted text, so its frame can run no script, load nothing and submit nothing. */
export function EmailFrame({ src, title }: { src: string; title: string }) {
  return <iframe className={classes.email} sandbox="" referrerPolicy="no-referrer" src={src} title={title} />;
}
