//! Reads objects member by member, and lists item by item. Depending on the
//! mode, an invalid value is an error, or is preserved.

use super::fault::Fault;
use super::{Reader, Tag, string_of};
use crate::json::{Json, Members};
use crate::open::error::{Error, MAX_DEPTH, Step, path};
use crate::text::unescaped;
use std::borrow::Cow;

/// The state of an object that is being read.
#[derive(Debug)]
pub struct Inside {
    is_first: bool,
    only: Option<fn(&str) -> bool>,
    /// The tag by which a union chose this object, until it has been read.
    chosen_by: Option<&'static str>,
    /// The tags found in the object.
    tags: [Option<&'static str>; 2],
    /// The fields found in the object, one bit each.
    seen: u128,
}

/// The state that is saved before a member or an item.
pub(in crate::open) struct Before {
    start: usize,
    depth: usize,
    is_inexact: bool,
}

impl Inside {
    /// Marks the field with this index as found. Returns whether it was already
    /// found.
    pub(in crate::open) fn is_again(&mut self, number: usize) -> bool {
        let bit = 1 << number;
        let is_again = self.seen & bit != 0;
        self.seen |= bit;
        is_again
    }

    /// Returns the required fields that are missing. `required` has one bit per
    /// field.
    pub(in crate::open) fn missing(&self, required: u128) -> impl Iterator<Item = usize> + use<> {
        let mut missing = required & !self.seen;
        std::iter::from_fn(move || {
            let number = missing.trailing_zeros() as usize;
            let rest = missing.checked_sub(1)?;
            missing &= rest;
            Some(number)
        })
    }
}

impl<'a> Reader<'a> {
    /// Enters an object. `chosen_by` is the tag by which a union chose it.
    ///
    /// # Errors
    ///
    /// If the value is not an object, or the nesting is too deep.
    pub fn object(&mut self, chosen_by: Option<Tag>) -> Result<Inside, Error> {
        let mut inside = Inside {
            is_first: true,
            only: self.only.take(),
            chosen_by: None,
            tags: [None; 2],
            seen: 0,
        };
        match chosen_by {
            Some(Tag {
                name,
                passed: Some(_),
            }) => {
                inside.is_first = false;
                inside.tags = [Some(name), None];
            }
            chosen_by => {
                if !self.cursor.take(b'{') {
                    return Err(self.unexpected("an object"));
                }
                inside.chosen_by = chosen_by.map(|tag| tag.name);
            }
        }
        if self.depth == MAX_DEPTH {
            return Err(Error::too_deep());
        }
        self.depth += 1;
        Ok(inside)
    }

    /// Advances to the next member and returns its name. At the end of the
    /// object, leaves the object and returns `None`.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON.
    pub fn next_key(&mut self, inside: &mut Inside) -> Result<Option<Cow<'a, str>>, Error> {
        loop {
            let is_first = std::mem::take(&mut inside.is_first);
            let Some(span) = self.cursor.next_key(is_first)? else {
                self.depth -= 1;
                return Ok(None);
            };
            let text = &self.text[span.start..span.end];
            let key = if span.escaped {
                Cow::Owned(unescaped(text))
            } else {
                Cow::Borrowed(text)
            };
            match inside.only {
                Some(only) if !only(&key) => drop(self.cursor.skip()?),
                _ => return Ok(Some(key)),
            }
        }
    }

    /// Advances to the next member if its name is one of `names`, and returns the
    /// index of the name. Compares from index `from` on.
    #[inline]
    pub(in crate::open) fn next_known(
        &mut self,
        inside: &mut Inside,
        names: &[&str],
        from: usize,
    ) -> Option<usize> {
        if inside.only.is_some() {
            return None;
        }
        let number = self.cursor.next_known_key(inside.is_first, names, from)?;
        inside.is_first = false;
        Some(number)
    }

    /// Returns the text of the object's first or last member `name`. Returns
    /// `None` if there is no such member. The reader does not move.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON.
    fn look(&mut self, name: &str, is_last: bool) -> Result<Option<&'a str>, Error> {
        let start = self.cursor.at();
        if !self.cursor.take(b'{') {
            return Ok(None);
        }
        let (mut found, mut is_first) = (None, true);
        while let Some(span) = self.cursor.next_key(is_first)? {
            is_first = false;
            let value = self.cursor.skip()?;
            let key = &self.text[span.start..span.end];
            if key == name || span.escaped && unescaped(key) == name {
                found = Some(&self.text[value..self.cursor.at()]);
                if !is_last {
                    break;
                }
            }
        }
        self.cursor.go_to(start);
        Ok(found)
    }

    /// Returns the text of the object's last member `name`, without reading the
    /// object. Returns `None` if there is no such member, or if the value is
    /// not an object.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON.
    pub fn look_for(&mut self, name: &str) -> Result<Option<&'a str>, Error> {
        self.look(name, true)
    }

    /// If the tag is the object's first member, advances past it and returns
    /// its value. Otherwise searches for the tag without moving the reader.
    ///
    /// # Errors
    ///
    /// If the value is not an object.
    pub(in crate::open) fn tag_of(
        &mut self,
        name: &'static str,
    ) -> Result<(Tag, Option<Cow<'a, str>>), Error> {
        if self.peek() != Some(b'{') {
            return Err(self.unexpected("an object"));
        }
        let start = self.cursor.at();
        let mut tag = Tag { name, passed: None };
        self.cursor.go_to(start + 1);
        // With a selection, the tag may not be selected.
        if self.only.is_none() && self.is_first_key(name)? && self.peek() == Some(b'"') {
            tag.passed = Some(start);
            return Ok((tag, Some(self.string()?)));
        }
        self.cursor.go_to(start);
        Ok((tag, string_of(self.look(name, false)?)))
    }

    #[inline]
    fn is_first_key(&mut self, name: &str) -> Result<bool, Error> {
        if self.cursor.next_known_key(true, &[name], 0).is_some() {
            return Ok(true);
        }
        let key = self.cursor.next_key(true)?;
        Ok(key.is_some_and(|key| &self.text[key.start..key.end] == name))
    }

    /// Returns to the start of an object that a union chose by a tag.
    pub(in crate::open) fn before_tag(&mut self, chosen_by: Option<Tag>) {
        if let Some(start) = chosen_by.and_then(|tag| tag.passed) {
            self.cursor.go_to(start);
        }
    }

    /// Reads a tag and checks its value.
    ///
    /// # Errors
    ///
    /// If the tag has another value.
    pub fn tag(
        &mut self,
        inside: &mut Inside,
        name: &'static str,
        expected: &'static str,
    ) -> Result<(), Error> {
        let found = self.token()?;
        if let Some(place) = inside
            .tags
            .iter_mut()
            .find(|tag| tag.is_none_or(|tag| tag == name))
        {
            *place = Some(name);
        }
        let is_chosen = inside.chosen_by == Some(name);
        if is_chosen {
            inside.chosen_by = None;
        }
        if is_chosen || string_of(Some(found)).as_deref() == Some(expected) {
            Ok(())
        } else {
            Err(Error::other_tag(expected))
        }
    }

    /// Returns whether the absence of this tag must be recorded, because the
    /// object could be of another kind. Always returns `false` for a strict
    /// reader, whose caller requested this kind.
    pub(in crate::open) fn lacks_tag(&self, inside: &Inside, name: &'static str) -> bool {
        self.is_tolerant && !inside.tags.contains(&Some(name))
    }

    /// Returns whether an object is not of the kind that its tag names, because
    /// one of its tags occurs twice. Such an object counts as an object of an
    /// unknown kind.
    #[must_use]
    pub(in crate::open) fn is_other_kind(&self, error: &Error) -> bool {
        self.is_tolerant && error.is_other_tag()
    }

    pub(in crate::open) fn enter_member(&mut self, name: &str) -> Before {
        if self.trace.is_some() {
            self.step(Step::Member(name.into()));
        }
        self.enter()
    }

    pub(in crate::open) fn enter_item(&mut self, index: usize) -> Before {
        if self.trace.is_some() {
            self.step(Step::Item(index));
        }
        self.enter()
    }

    #[cold]
    fn step(&mut self, step: Step) {
        if let Some(trace) = &mut self.trace {
            trace.steps.push(step);
        }
    }

    /// Saves the state before a member or an item.
    #[inline]
    fn enter(&mut self) -> Before {
        self.cursor.peek();
        Before {
            start: self.cursor.at(),
            depth: self.depth,
            is_inexact: std::mem::take(&mut self.is_inexact),
        }
    }

    /// Restores the state after a member or an item.
    #[inline]
    pub(in crate::open) fn leave(&mut self, before: &Before) {
        if let Some(trace) = &mut self.trace {
            trace.steps.pop();
        }
        self.is_inexact = before.is_inexact;
    }

    /// Preserves the text of a member.
    #[cold]
    pub(in crate::open) fn preserve(
        &mut self,
        before: &Before,
        name: &'static &'static str,
        extra: &mut Members,
    ) -> Result<(), Error> {
        self.cursor.go_to(before.start);
        let token = self.token()?;
        let Some(left) = self.preserve_budget.checked_sub(token.len()) else {
            return Err(Error::too_much());
        };
        self.preserve_budget = left;
        extra.push_declared(name, Json::of_text(token));
        Ok(())
    }

    /// Handles an invalid member.
    #[cold]
    pub(in crate::open) fn invalid_member(
        &mut self,
        before: &Before,
        name: &'static &'static str,
        error: Error,
        extra: &mut Members,
    ) -> Result<(), Error> {
        if !self.is_tolerant || error.is_too_much() {
            return Err(error.in_member(name));
        }
        self.depth = before.depth;
        self.preserve(before, name, extra)?;
        if error.is_too_deep() {
            // The member itself can be read, but the field has another value.
            extra.push_given(name, None);
        }
        self.found(&error);
        Ok(())
    }

    /// Skips an invalid list item or map value.
    #[cold]
    pub(in crate::open) fn invalid_item(
        &mut self,
        before: &Before,
        error: Error,
    ) -> Result<(), Error> {
        if !self.is_tolerant || error.is_too_deep() || error.is_too_much() {
            return Err(error);
        }
        self.depth = before.depth;
        self.cursor.go_to(before.start);
        self.cursor.skip()?;
        self.found(&error);
        Ok(())
    }

    /// Records that a value was read only in part or with changes.
    #[cold]
    pub(in crate::open) fn mark_inexact(&mut self, error: &Error) {
        self.is_inexact = true;
        self.found(error);
    }

    /// Returns whether the current value was read only in part or with changes.
    pub(in crate::open) fn is_inexact(&self) -> bool {
        self.is_inexact
    }

    fn found(&mut self, error: &Error) {
        if let Some(trace) = &mut self.trace {
            trace.faults.push(Fault {
                path: path(trace.steps.iter().chain(error.steps())),
                reason: error.reason(),
            });
        }
    }

    /// Records a missing required member.
    ///
    /// # Errors
    ///
    /// If the reader is strict.
    #[cold]
    pub(in crate::open) fn missing(
        &mut self,
        name: &'static str,
        extra: &mut Members,
    ) -> Result<(), Error> {
        let error = Error::new(format!("missing field `{name}`"));
        if !self.is_tolerant {
            return Err(error);
        }
        extra.push_missing(name);
        if self.trace.is_some() {
            self.found(&error.in_member(name));
        }
        Ok(())
    }

    /// Preserves an unknown member.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON.
    pub fn unknown(
        &mut self,
        inside: &mut Inside,
        key: Cow<'a, str>,
        extra: &mut Members,
    ) -> Result<(), Error> {
        if inside.chosen_by.is_some_and(|tag| tag == key) {
            inside.chosen_by = None;
            self.cursor.skip()?;
            return Ok(());
        }
        let json = self.json()?;
        extra.push(key.into_owned(), json);
        Ok(())
    }
}
