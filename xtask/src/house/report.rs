//! What `cargo xtask house` prints.

use super::accepted::{ACCEPTED, gone, unaccepted};
use super::error::Error;
use super::rooms::{Rooms, WITH_ROOMS};
use super::structure::House;
use std::io::{self, Write};

/// Prints the structure of packages and says whether all is as it should be:
/// no circle but the accepted ones, no arrow up between rooms, and no path that
/// leads nowhere. Prints every arrow if `all` says so. The circles are printed
/// without a list of rooms as well.
///
/// # Errors
///
/// If it cannot be written.
pub fn report(
    houses: &[House],
    rooms: Result<&Rooms, &Error>,
    all: bool,
    output: &mut impl Write,
) -> io::Result<bool> {
    let mut is_fine = true;
    for house in houses {
        let (files, arrows) = (house.files.len(), house.arrows.len());
        writeln!(output, "{}: {files} files, {arrows} arrows", house.name)?;
        for arrow in house.arrows.iter().filter(|_| all) {
            writeln!(output, "    {arrow}")?;
        }
        for path in &house.unresolved {
            is_fine = false;
            writeln!(output, "    leads nowhere: {path}")?;
        }
        if house.name == WITH_ROOMS {
            let sizes = house.room_sizes();
            let arrows = house.room_arrows();
            let arrows = arrows
                .iter()
                .filter(|arrow| sizes.contains_key(&arrow.from));
            writeln!(
                output,
                "    {} rooms, {} arrows",
                sizes.len(),
                arrows.count()
            )?;
            for (room, lines) in sizes {
                writeln!(output, "        {room}: {lines} lines")?;
            }
            let complaints = match rooms {
                Ok(rooms) => rooms.complaints(house),
                Err(error) => vec![error.to_string()],
            };
            for complaint in complaints {
                is_fine = false;
                let complaint = complaint.replace('\n', "\n    ");
                writeln!(output, "    {complaint}")?;
            }
        }
        let new = unaccepted(std::slice::from_ref(house), ACCEPTED);
        is_fine &= new.is_empty();
        for circle in house.circles() {
            let accepted = match new.iter().any(|(_, it)| *it == circle) {
                true => "",
                false => ", accepted",
            };
            writeln!(
                output,
                "    circle of {} files{accepted}",
                circle.files.len()
            )?;
            for arrow in &circle.arrows {
                writeln!(output, "        {arrow}")?;
            }
        }
    }
    for one in gone(houses, ACCEPTED) {
        is_fine = false;
        let files = one.files.join(", ");
        writeln!(output, "{}: accepted circle is gone: {files}", one.package)?;
    }
    Ok(is_fine)
}
