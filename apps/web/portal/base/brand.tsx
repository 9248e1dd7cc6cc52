import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { Seller } from "./api.ts";

type Brand = Seller | null;

const BrandContext = createContext<{ readonly brand: Brand; readonly set: (brand: Brand) => void }>({
  brand: null,
  set: () => undefined,
});

/** The seller whose name, logo and colour the portal shows: that of the page, or else the one the person came from. */
export function BrandProvider({ first, children }: { readonly first: Brand; readonly children: ReactNode }) {
  const [ofPage, set] = useState<Brand>(null);
  const brand = ofPage ?? first;
  useEffect(() => {
    const { style } = document.documentElement;
    for (const [name, value] of Object.entries(accentStyle(brand))) style.setProperty(name, value);
    return () => {
      for (const name of Object.keys(accentStyle(brand))) style.removeProperty(name);
    };
  }, [brand]);
  return <BrandContext value={{ brand, set }}>{children}</BrandContext>;
}

export function useBrand(): Brand {
  return useContext(BrandContext).brand;
}

/** Shows this seller until another page names one. Undefined while it is not known. */
export function usePageBrand(seller: Brand | undefined): void {
  const { set } = useContext(BrandContext);
  useEffect(() => {
    if (seller !== undefined) set(seller);
  }, [seller, set]);
}

type Colours = Pick<Seller, "accent_color" | "accent_color_dark" | "accent_text_dark">;

/** The CSS variables for a seller's accent colour; none without a colour. */
export function accentStyle(seller: Colours | null): Record<`--${string}`, string> {
  const light = colour(seller?.accent_color);
  const dark = colour(seller?.accent_color_dark);
  const onDark = colour(seller?.accent_text_dark);
  if (light === null || dark === null || onDark === null) return {};
  return {
    "--accent": `light-dark(${light}, ${dark})`,
    "--accent-text": `light-dark(${light}, ${dark})`,
    "--on-accent": `light-dark(#ffffff, ${onDark})`,
  };
}

function colour(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^#[0-9a-f]{6}$/i.test(text) ? text : null;
}
