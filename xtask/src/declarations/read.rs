//! Parses the text of a declaration file.

use super::model::{
    Conditional, Declaration, Import, Literal, Mapped, Member, Module, Object, Reference, Type,
};
use oxc_allocator::Allocator;
use oxc_ast::ast;
use oxc_parser::Parser;
use oxc_span::SourceType;

/// Reads the text of the module with this index. Fails with the message of the
/// parser if the text is not TypeScript.
pub(super) fn read(module: usize, text: &str) -> Result<Module, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::d_ts()).parse();
    if let Some(error) = parsed.errors.first() {
        return Err(error.to_string());
    }
    let mut reader = Reader {
        index: module,
        parameters: Vec::new(),
        module: Module::default(),
    };
    reader.statements(&parsed.program.body);
    Ok(reader.module)
}

struct Reader {
    index: usize,
    /// The type parameters of the enclosing declarations.
    parameters: Vec<String>,
    module: Module,
}

impl Reader {
    fn statements(&mut self, statements: &[ast::Statement<'_>]) {
        for statement in statements {
            match statement {
                ast::Statement::ImportDeclaration(import) => self.import(import),
                ast::Statement::ExportAllDeclaration(export) => {
                    let from = export.source.value.to_string();
                    match &export.exported {
                        Some(name) => {
                            let import = Import { from, name: None };
                            self.module.imports.insert(name.name().to_string(), import);
                        }
                        None => self.module.stars.push(from),
                    }
                }
                ast::Statement::ExportNamedDeclaration(export) => self.export(export),
                statement => {
                    if let Some(declaration) = statement.as_declaration() {
                        self.declaration(declaration);
                    }
                }
            }
        }
    }

    fn import(&mut self, import: &ast::ImportDeclaration<'_>) {
        for specifier in import.specifiers.iter().flatten() {
            let name = match specifier {
                ast::ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    Some(one.imported.name().to_string())
                }
                ast::ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {
                    Some("default".to_owned())
                }
                ast::ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => None,
            };
            let from = import.source.value.to_string();
            self.module
                .imports
                .insert(specifier.local().name.to_string(), Import { from, name });
        }
    }

    fn export(&mut self, export: &ast::ExportNamedDeclaration<'_>) {
        if let Some(declaration) = &export.declaration {
            self.declaration(declaration);
        }
        for specifier in &export.specifiers {
            let exported = specifier.exported.name().to_string();
            let local = specifier.local.name().to_string();
            match &export.source {
                Some(source) => {
                    let import = Import {
                        from: source.value.to_string(),
                        name: Some(local),
                    };
                    self.module.imports.insert(exported, import);
                }
                None if exported != local => {
                    self.module.aliases.insert(exported, local);
                }
                None => {}
            }
        }
    }

    fn declaration(&mut self, declaration: &ast::Declaration<'_>) {
        match declaration {
            ast::Declaration::TSTypeAliasDeclaration(alias) => {
                let outer = self.parameters.len();
                let parameters = self.parameters(alias.type_parameters.as_deref());
                let body = self.ty(&alias.type_annotation);
                self.declare(&alias.id.name, parameters, body);
                self.parameters.truncate(outer);
            }
            ast::Declaration::TSInterfaceDeclaration(interface) => {
                let outer = self.parameters.len();
                let parameters = self.parameters(interface.type_parameters.as_deref());
                let own = Type::Object(self.object(&interface.body.body));
                let body = if interface.extends.is_empty() {
                    own
                } else {
                    let mut parts: Vec<Type> = interface
                        .extends
                        .iter()
                        .map(|heritage| self.extended_type(heritage))
                        .collect();
                    parts.push(own);
                    Type::Intersection(parts)
                };
                self.declare(&interface.id.name, parameters, body);
                self.parameters.truncate(outer);
            }
            ast::Declaration::VariableDeclaration(variables) => {
                for variable in &variables.declarations {
                    let Some(name) = variable.id.get_identifier_name() else {
                        continue;
                    };
                    if let Some(annotation) = &variable.id.type_annotation {
                        let ty = self.ty(&annotation.type_annotation);
                        self.module.constants.insert(name.to_string(), ty);
                    }
                }
            }
            ast::Declaration::TSModuleDeclaration(namespace) => {
                self.module.namespaces.push(namespace.id.name().to_string());
                if let Some(ast::TSModuleDeclarationBody::TSModuleBlock(block)) = &namespace.body {
                    self.statements(&block.body);
                }
            }
            // Functions and classes are not JSON.
            _ => {}
        }
    }

    fn declare(&mut self, name: &str, parameters: Vec<(String, Option<Type>)>, body: Type) {
        self.module
            .types
            .insert(name.to_owned(), Declaration { parameters, body });
    }

    /// Returns the type parameters of a declaration. Its body refers to them by
    /// name.
    fn parameters(
        &mut self,
        declared: Option<&ast::TSTypeParameterDeclaration<'_>>,
    ) -> Vec<(String, Option<Type>)> {
        let declared = declared.map_or(&[][..], |declared| &declared.params[..]);
        declared
            .iter()
            .map(|parameter| {
                let name = parameter.name.name.to_string();
                let default = parameter.default.as_ref().map(|default| self.ty(default));
                self.parameters.push(name.clone());
                (name, default)
            })
            .collect()
    }

    fn extended_type(&mut self, heritage: &ast::TSInterfaceHeritage<'_>) -> Type {
        let mut names = Vec::new();
        let mut expression = &heritage.expression;
        loop {
            match expression {
                ast::Expression::Identifier(identifier) => {
                    names.push(identifier.name.to_string());
                    break;
                }
                ast::Expression::StaticMemberExpression(member) => {
                    names.push(member.property.name.to_string());
                    expression = &member.object;
                }
                _ => return Type::Any,
            }
        }
        names.reverse();
        self.named(names.join("."), heritage.type_arguments.as_deref())
    }

    fn named(
        &mut self,
        name: String,
        arguments: Option<&ast::TSTypeParameterInstantiation<'_>>,
    ) -> Type {
        if self.parameters.contains(&name) {
            return Type::Parameter(name);
        }
        let arguments = arguments.map_or(&[][..], |arguments| &arguments.params[..]);
        let arguments = self.all(arguments);
        Type::Named(self.reference(name), arguments)
    }

    fn reference(&self, name: String) -> Reference {
        Reference {
            module: self.index,
            name,
        }
    }

    fn all(&mut self, types: &[ast::TSType<'_>]) -> Vec<Type> {
        types.iter().map(|ty| self.ty(ty)).collect()
    }

    fn boxed(&mut self, ty: &ast::TSType<'_>) -> Box<Type> {
        Box::new(self.ty(ty))
    }

    fn ty(&mut self, ty: &ast::TSType<'_>) -> Type {
        use ast::TSType as Ts;
        match ty {
            Ts::TSNullKeyword(_) => Type::Null,
            Ts::TSBooleanKeyword(_) => Type::Boolean,
            Ts::TSNumberKeyword(_) | Ts::TSBigIntKeyword(_) => Type::Number,
            Ts::TSStringKeyword(_) | Ts::TSTemplateLiteralType(_) => Type::String,
            Ts::TSUndefinedKeyword(_) | Ts::TSVoidKeyword(_) | Ts::TSNeverKeyword(_) => {
                Type::Absent
            }
            Ts::TSObjectKeyword(_) => Type::Object(Object {
                index: Some(Box::new(Type::Any)),
                ..Object::default()
            }),
            Ts::TSLiteralType(literal) => literal_type(&literal.literal),
            Ts::TSParenthesizedType(inner) => self.ty(&inner.type_annotation),
            Ts::TSArrayType(array) => Type::Array(self.boxed(&array.element_type)),
            Ts::TSTupleType(tuple) => Type::Tuple(
                tuple
                    .element_types
                    .iter()
                    .filter_map(|element| element.as_ts_type())
                    .map(|element| self.ty(element))
                    .collect(),
            ),
            Ts::TSTypeLiteral(literal) => Type::Object(self.object(&literal.members)),
            Ts::TSUnionType(union) => Type::Union(self.all(&union.types)),
            Ts::TSIntersectionType(parts) => Type::Intersection(self.all(&parts.types)),
            Ts::TSTypeReference(reference) => {
                let Some(name) = dotted(&reference.type_name) else {
                    return Type::Any;
                };
                self.named(name, reference.type_arguments.as_deref())
            }
            Ts::TSIndexedAccessType(access) => Type::Indexed(
                self.boxed(&access.object_type),
                self.boxed(&access.index_type),
            ),
            Ts::TSTypeOperatorType(operator) => match operator.operator {
                ast::TSTypeOperatorOperator::Keyof => {
                    Type::Keys(self.boxed(&operator.type_annotation))
                }
                ast::TSTypeOperatorOperator::Readonly => self.ty(&operator.type_annotation),
                ast::TSTypeOperatorOperator::Unique => Type::Any,
            },
            Ts::TSMappedType(mapped) => self.mapped(mapped),
            Ts::TSConditionalType(conditional) => Type::Conditional(Box::new(Conditional {
                check: self.ty(&conditional.check_type),
                pattern: self.ty(&conditional.extends_type),
                then: self.ty(&conditional.true_type),
                otherwise: self.ty(&conditional.false_type),
            })),
            Ts::TSTypeQuery(query) => query
                .expr_name
                .as_ts_type_name()
                .and_then(dotted)
                .map_or(Type::Any, |name| Type::TypeOf(self.reference(name))),
            _ => Type::Any,
        }
    }

    fn mapped(&mut self, mapped: &ast::TSMappedType<'_>) -> Type {
        use ast::TSMappedTypeModifierOperator::{Plus, True};
        let parameter = mapped.type_parameter.name.name.to_string();
        let keys = mapped
            .type_parameter
            .constraint
            .as_ref()
            .map_or(Type::String, |keys| self.ty(keys));
        self.parameters.push(parameter.clone());
        let value = mapped
            .type_annotation
            .as_ref()
            .map_or(Type::Any, |value| self.ty(value));
        self.parameters.pop();
        Type::Mapped(Box::new(Mapped {
            parameter,
            keys,
            value,
            optional: matches!(mapped.optional, Some(True | Plus)),
        }))
    }

    fn object(&mut self, signatures: &[ast::TSSignature<'_>]) -> Object {
        let mut object = Object::default();
        for signature in signatures {
            match signature {
                ast::TSSignature::TSPropertySignature(property) => {
                    let Some(name) = property.key.static_name() else {
                        continue;
                    };
                    let value = property
                        .type_annotation
                        .as_ref()
                        .map_or(Type::Any, |value| self.ty(&value.type_annotation));
                    object.members.push(Member {
                        name: name.into_owned(),
                        value,
                        optional: property.optional,
                    });
                }
                ast::TSSignature::TSIndexSignature(index) => {
                    let value = self.ty(&index.type_annotation.type_annotation);
                    object.index = Some(Box::new(value));
                }
                // Methods are not JSON.
                _ => {}
            }
        }
        object
    }
}

fn literal_type(literal: &ast::TSLiteral<'_>) -> Type {
    match literal {
        ast::TSLiteral::StringLiteral(text) => {
            Type::Literal(Literal::String(text.value.to_string()))
        }
        ast::TSLiteral::NumericLiteral(number) => Type::Literal(Literal::Number(number.value)),
        ast::TSLiteral::BooleanLiteral(boolean) => Type::Literal(Literal::Boolean(boolean.value)),
        ast::TSLiteral::TemplateLiteral(_) => Type::String,
        ast::TSLiteral::BigIntLiteral(_) | ast::TSLiteral::UnaryExpression(_) => Type::Number,
    }
}

/// Returns a qualified name with dots.
fn dotted(name: &ast::TSTypeName<'_>) -> Option<String> {
    match name {
        ast::TSTypeName::IdentifierReference(identifier) => Some(identifier.name.to_string()),
        ast::TSTypeName::QualifiedName(qualified) => Some(format!(
            "{}.{}",
            dotted(&qualified.left)?,
            qualified.right.name
        )),
        ast::TSTypeName::ThisExpression(_) => None,
    }
}
